package contracttest

import (
	"bytes"
	"io"
	"net/http"
	"testing"
)

// Wrap returns next with every exchange checked, see Check. It does not change the
// answer. It does not check an exchange that has no answer because the caller gave
// up.
//
// A test that serves the handler in a goroutine must end it before the test ends, as
// httptest.Server.Close does.
func (c *Checker) Wrap(tb testing.TB, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.Clone(r.Context())
		sent := &bytes.Buffer{}
		passed := r.WithContext(r.Context())
		if r.Body != nil && r.Body != http.NoBody {
			passed.Body = teeBody{io.TeeReader(r.Body, sent), r.Body}
		}
		answer := &recorder{ResponseWriter: w}
		next.ServeHTTP(answer, passed)
		if answer.status == 0 && r.Context().Err() != nil {
			return
		}
		answer.begin(http.StatusOK)
		c.Check(tb, Exchange{
			Request: asked, RequestBody: sent.Bytes(),
			Status: answer.status, Header: answer.header, Body: answer.body.Bytes(),
		})
	})
}

// teeBody copies what the handler reads of a request's body.
type teeBody struct {
	io.Reader
	io.Closer
}

// recorder copies an answer on its way to the caller.
type recorder struct {
	http.ResponseWriter
	status int // zero until the header is written
	header http.Header
	body   bytes.Buffer
}

func (r *recorder) WriteHeader(status int) {
	if status >= http.StatusOK { // 1xx come before the answer
		r.begin(status)
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	r.begin(http.StatusOK)
	r.body.Write(b)
	return r.ResponseWriter.Write(b)
}

// begin copies status and header when they are sent. Headers that are set later
// never reach the caller.
func (r *recorder) begin(status int) {
	if r.status == 0 {
		r.status, r.header = status, r.Header().Clone()
	}
}

// Unwrap lets http.ResponseController reach the server's writer.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
