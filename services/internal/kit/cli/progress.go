package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/jedib0t/go-pretty/v6/progress"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// Progress shows the state and the duration of a long command on one line of a terminal, and nothing elsewhere.
type Progress struct {
	writer io.Writer
	on     bool
	width  int // 0 if unknown

	mu        sync.Mutex
	tracker   *progress.Tracker // nil if nothing is shown
	rendering sync.WaitGroup
}

// NewProgress returns a Progress that writes to w.
func NewProgress(w io.Writer, environ []string) *Progress {
	p := &Progress{writer: w, on: isTerminal(w, environ)}
	if file, ok := Terminal(w); ok {
		p.width, _, _ = term.GetSize(int(file.Fd()))
	}
	return p
}

var progressStyle = progress.Style{
	Chars:      progress.StyleCharsDefault,
	Options:    progress.StyleOptions{TimeInProgressPrecision: time.Second, TimeDonePrecision: time.Second},
	Visibility: progress.StyleVisibility{Time: true},
}

// Show replaces the line.
func (p *Progress) Show(format string, args ...any) {
	if !p.on {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	message := Printable(fmt.Sprintf(format, args...))
	if p.tracker != nil {
		p.tracker.UpdateMessage(message)
		return
	}
	p.tracker = &progress.Tracker{Message: message}
	w := progress.NewWriter()
	w.SetStyle(progressStyle)
	w.SetOutputWriter(p.writer)
	w.SetTerminalWidth(p.width)
	w.SetTrackerPosition(progress.PositionRight)
	w.SetUpdateFrequency(100 * time.Millisecond)
	w.SetAutoStop(true)
	w.AppendTracker(p.tracker)
	p.rendering.Go(w.Render)
}

// Clear removes the line, so that other output starts on an empty one.
func (p *Progress) Clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tracker == nil {
		return
	}
	p.tracker.MarkAsDone() // stops the rendering
	p.rendering.Wait()
	p.tracker = nil
	fmt.Fprint(p.writer, text.CursorUp.Sprint(), text.EraseLine.Sprint())
}
