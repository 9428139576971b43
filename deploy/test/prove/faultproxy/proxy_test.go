package faultproxy

import (
	"bufio"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

const question, reply = "ping\n", "pong\n"

// echo runs a server that responds to each line with reply.
func echo(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for lines := bufio.NewScanner(conn); lines.Scan(); {
					_, _ = io.WriteString(conn, reply)
				}
			}()
		}
	}()
	return listener.Addr().String()
}

// ask sends the question and reads as many bytes as the reply has, within patience.
func ask(conn net.Conn, patience time.Duration) (string, error) {
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return "", err
	}
	if _, err := io.WriteString(conn, question); err != nil {
		return "", err
	}
	answer := make([]byte, len(reply))
	n, err := io.ReadFull(conn, answer)
	return string(answer[:n]), err
}

func TestFaults(t *testing.T) {
	// silent is the time-out where no answer is expected.
	const patience, silent = 10 * time.Second, 50 * time.Millisecond
	replied := func(answer string, err error) bool { return answer == reply && err == nil }
	closed := func(_ string, err error) bool {
		return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
	}
	tests := map[Fault]struct {
		patience time.Duration // how long an answer is waited for
		least    time.Duration // how long it takes at least
		holds    func(answer string, err error) bool
	}{
		None:  {patience: patience, holds: replied},
		Cut:   {patience: patience, holds: closed},
		Reset: {patience: patience, holds: func(answer string, err error) bool { return closed(answer, err) && !errors.Is(err, io.EOF) }},
		HalfOpen: {patience: silent, least: silent, holds: func(_ string, err error) bool {
			return errors.Is(err, os.ErrDeadlineExceeded)
		}},
		Delay: {patience: patience, least: Lateness, holds: replied},
		Drip:  {patience: patience, least: time.Duration(len(reply)-1) * Tempo, holds: replied},
		Garbage: {patience: patience, holds: func(answer string, err error) bool {
			return len(answer) == len(reply) && answer != reply && err == nil
		}},
	}
	for fault, test := range tests {
		for _, when := range []string{"on a new connection", "on an open one"} {
			t.Run(strings.TrimSpace(string(fault)+" "+when), func(t *testing.T) {
				p, conn := through(t)
				if when == "on a new connection" {
					p.Set(fault)
					conn = dial(t, p)
				} else if answer, err := ask(conn, patience); answer != reply || err != nil {
					t.Fatalf("without a fault: %q, %v", answer, err)
				} else if fault != None {
					p.Set(fault)
				}
				begun := time.Now()
				answer, err := ask(conn, test.patience)
				if took := time.Since(begun); !test.holds(answer, err) || took < test.least {
					t.Errorf("%q, %v after %s", answer, err, took)
				}
				p.Set(None)
				if answer, err := ask(dial(t, p), patience); answer != reply || err != nil {
					t.Errorf("after the repair: %q, %v", answer, err)
				}
			})
		}
	}
}

// through returns a proxy to an echo server with a connection through it.
func through(t *testing.T) (*Proxy, net.Conn) {
	t.Helper()
	p, err := Listen(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p, dial(t, p)
}

func dial(t *testing.T, p *Proxy) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestTargetIsDown(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	target := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	p, err := Listen(target)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Close() }()
	if answer, err := ask(dial(t, p), 10*time.Second); err == nil {
		t.Errorf("%q without a server", answer)
	}
}
