package faultproxy

import (
	"errors"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"
)

const question = "ping\n"

// echo runs a server that returns what it receives.
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
				_, _ = io.Copy(conn, conn)
			}()
		}
	}()
	return listener.Addr().String()
}

// ask sends the question and reads as many bytes, within patience.
func ask(conn net.Conn, patience time.Duration) (string, error) {
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return "", err
	}
	if _, err := io.WriteString(conn, question); err != nil {
		return "", err
	}
	answer := make([]byte, len(question))
	n, err := io.ReadFull(conn, answer)
	return string(answer[:n]), err
}

func TestFaults(t *testing.T) {
	// silent is the time-out where no answer is expected.
	const patience, silent = 10 * time.Second, 50 * time.Millisecond
	replied := func(answer string, err error) bool { return answer == question && err == nil }
	closed := func(_ string, err error) bool {
		return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
	}
	reset := func(answer string, err error) bool { return closed(answer, err) && !errors.Is(err, io.EOF) }
	timedOut := func(_ string, err error) bool { return errors.Is(err, os.ErrDeadlineExceeded) }
	garbled := func(answer string, err error) bool {
		return len(answer) == len(question) && answer != question && err == nil
	}
	for fault, test := range map[Fault]struct {
		patience time.Duration // time-out of the answer
		least    time.Duration // minimum time until the answer or error
		holds    func(answer string, err error) bool
	}{
		Cut:      {patience, 0, closed},
		Reset:    {patience, 0, reset},
		HalfOpen: {silent, silent, timedOut},
		Delay:    {patience, Lateness, replied},
		Drip:     {patience, time.Duration(len(question)-1) * Tempo, replied},
		Garbage:  {patience, 0, garbled},
	} {
		t.Run(string(fault), func(t *testing.T) {
			p, err := Listen(echo(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = p.Close() })
			open := dial(t, p)
			for _, when := range []string{"without a fault", "on an open connection", "on a new connection", "after the repair"} {
				conn, want := open, test
				switch when {
				case "on an open connection":
					p.Set(fault)
				case "on a new connection":
					conn = dial(t, p)
				case "after the repair":
					p.Set(None)
					conn = dial(t, p)
					fallthrough
				default:
					want.patience, want.least, want.holds = patience, 0, replied
				}
				begun := time.Now()
				answer, err := ask(conn, want.patience)
				if took := time.Since(begun); !want.holds(answer, err) || took < want.least {
					t.Errorf("%s: %q, %v after %s", when, answer, err, took)
				}
			}
		})
	}
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
