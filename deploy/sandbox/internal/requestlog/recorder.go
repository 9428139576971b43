package requestlog

import "net/http"

// recorder notes the status that a handler sends.
type recorder struct {
	http.ResponseWriter
	status int
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(body []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	return r.ResponseWriter.Write(body)
}

// Unwrap lets http.ResponseController reach the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// final is the status the client got: net/http sends 200 for a handler that
// returns without a word, and nothing for one that panics.
func (r *recorder) final(panicked any) int {
	if r.status == 0 && panicked == nil {
		return http.StatusOK
	}
	return r.status
}
