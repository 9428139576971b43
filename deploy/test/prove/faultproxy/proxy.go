// Package faultproxy forwards TCP connections between a program and its upstream on loopback
// and injects network faults. It is independent of the protocol.
package faultproxy

import (
	"crypto/rand"
	"net"
	"sync"
	"time"
)

// Fault is an effect on forwarded bytes.
type Fault string

// The faults.
const (
	None     Fault = ""
	Cut      Fault = "cut"       // the connection is closed
	Reset    Fault = "reset"     // the connection is reset (RST) when bytes are sent
	HalfOpen Fault = "half-open" // the connection stays open without a response
	Delay    Fault = "delay"     // each part of a response is delayed by Lateness
	Drip     Fault = "drip"      // a response arrives one byte per Tempo
	Garbage  Fault = "garbage"   // random bytes replace each response
)

// Faults returns all faults.
func Faults() []Fault { return []Fault{Cut, Reset, HalfOpen, Delay, Drip, Garbage} }

// The delays of Delay and Drip.
const (
	Lateness = 700 * time.Millisecond
	Tempo    = 20 * time.Millisecond
)

// Proxy forwards connections to a target. It is safe for concurrent use.
type Proxy struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	fault   Fault
	changed chan struct{}
	open    map[*connection]bool
}

// Listen starts a proxy to target (host:port) on a free port of the loopback
// interface.
func Listen(target string) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: listener, target: target, changed: make(chan struct{}), open: map[*connection]bool{}}
	go p.serve()
	return p, nil
}

// Addr returns the address of the proxy (host:port).
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Close ends the proxy and its connections.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	p.Set(Cut)
	return err
}

// Set changes the fault. Cut, Reset and None close the open connections, because a repaired
// network does not repair them.
func (p *Proxy) Set(f Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault = f
	close(p.changed)
	p.changed = make(chan struct{})
	if f != Cut && f != Reset && f != None {
		return
	}
	for l := range p.open {
		l.end(f == Reset)
	}
}

func (p *Proxy) state() (Fault, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fault, p.changed
}

func (p *Proxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.handle(client.(*net.TCPConn))
	}
}

// connection is a forwarded connection with both its ends.
type connection struct {
	client, server *net.TCPConn
	once           sync.Once
}

func (l *connection) end(reset bool) {
	l.once.Do(func() {
		if reset {
			_ = l.client.SetLinger(0) // closing sends RST
		}
		_ = l.client.Close()
		_ = l.server.Close()
	})
}

func (p *Proxy) handle(client *net.TCPConn) {
	fault, _ := p.state()
	server, err := net.Dial("tcp", p.target)
	if fault == Cut || err != nil {
		_ = client.Close()
		if err == nil {
			_ = server.Close()
		}
		return
	}
	l := &connection{client: client, server: server.(*net.TCPConn)}
	p.add(l)
	defer p.remove(l)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		p.pass(l, l.client, l.server, true)
	}()
	p.pass(l, l.server, l.client, false)
	<-answered
}

func (p *Proxy) add(l *connection) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open[l] = true
}

func (p *Proxy) remove(l *connection) {
	l.end(false)
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, l)
}

// pass copies from src to dst until one of them ends. Delays and garbage apply if answer is
// set.
func (p *Proxy) pass(l *connection, dst, src *net.TCPConn, answer bool) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := src.Read(buffer)
		if n > 0 && !p.deliver(l, dst, buffer[:n], answer) {
			l.end(false)
			return
		}
		if err != nil {
			_ = dst.CloseWrite() // the other direction stays open
			return
		}
	}
}

// deliver forwards a piece and reports whether the connection stays open.
func (p *Proxy) deliver(l *connection, dst *net.TCPConn, piece []byte, answer bool) bool {
	fault, changed := p.state()
	switch {
	case fault == Cut:
		return false
	case fault == Reset:
		l.end(true)
		return false
	case fault == HalfOpen:
		<-changed
		return false
	case fault == Delay && answer:
		time.Sleep(Lateness)
	case fault == Drip && answer:
		return drip(dst, piece, changed)
	case fault == Garbage && answer:
		_, _ = rand.Read(piece) // never fails
	}
	_, err := dst.Write(piece)
	return err == nil
}

// drip writes one byte at a time until the fault changes, then the rest.
func drip(dst *net.TCPConn, piece []byte, changed <-chan struct{}) bool {
	tick := time.NewTicker(Tempo)
	defer tick.Stop()
	for i := range piece {
		select {
		case <-changed:
			_, err := dst.Write(piece[i:])
			return err == nil
		case <-tick.C:
		}
		if _, err := dst.Write(piece[i : i+1]); err != nil {
			return false
		}
	}
	return true
}
