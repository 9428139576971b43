package cli

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// Progress tells a person at a terminal how far a long command is, on one line that is
// written over. Elsewhere it is silent.
type Progress struct {
	writer io.Writer
	on     bool
	mu     sync.Mutex
	shown  bool
}

// NewProgress writes to w when that is a terminal.
func NewProgress(w io.Writer, environ []string) *Progress {
	return &Progress{writer: w, on: understands(w, environ)}
}

// eraseLine is the sequence for going to the line's beginning and emptying it.
const eraseLine = "\r\x1b[K"

// Show replaces the line.
func (p *Progress) Show(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.on {
		p.shown = true
		fmt.Fprint(p.writer, eraseLine, Printable(fmt.Sprintf(format, args...)))
	}
}

// Clear takes the line away, so that what follows begins on an empty one.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		p.shown = false
		fmt.Fprint(p.writer, eraseLine)
	}
}

// Since shows for how long something has been going on, until stop is called.
func (p *Progress) Since(what string) (stop func()) {
	if !p.on {
		return func() {}
	}
	var showing sync.WaitGroup
	begun, done := time.Now(), make(chan struct{})
	tick := time.NewTicker(time.Second)
	p.Show("%s…", what)
	showing.Go(func() {
		for {
			select {
			case <-done:
				return
			case now := <-tick.C:
				p.Show("%s… %s", what, now.Sub(begun).Round(time.Second))
			}
		}
	})
	return func() {
		tick.Stop()
		close(done)
		showing.Wait()
		p.Clear()
	}
}
