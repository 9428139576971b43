package httpapi_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"backend.example/services/directory/internal/account"
)

// browser is a client that keeps the session's cookie.
type browser struct {
	w       *world
	cookie  *http.Cookie // nil: none
	address string       // network address
}

// browser returns one without a login.
func (w *world) browser() *browser { return &browser{w: w, address: "198.51.100.7"} }

// loggedInAs returns a browser where u is logged in.
func (w *world) loggedInAs(u account.User) *browser {
	w.t.Helper()
	b, answer := w.browser(), httptest.NewRecorder()
	w.ok(w.guard.Sessions.Begin(answer, httptest.NewRequest(http.MethodPost, "/", nil), u.ID))
	b.keepCookie(answer.Result().Cookies())
	return b
}

// keepCookie does what a browser does with the session in the answer's Set-Cookie.
func (b *browser) keepCookie(cookies []*http.Cookie) {
	for _, c := range cookies {
		if !strings.HasSuffix(c.Name, "session") {
			continue
		}
		b.cookie = nil
		if c.MaxAge >= 0 {
			b.cookie = c
			b.w.records.keep(c.Value)
		}
	}
}

// request makes a request of the browser; headers are pairs of name and value.
func (b *browser) request(method, target, body string, headers ...string) *http.Request {
	var r *http.Request
	if body == "" {
		r = httptest.NewRequest(method, target, nil)
	} else {
		r = httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
	}
	r.Header.Set("X-Forwarded-For", b.address)
	r.RemoteAddr = "192.0.2.1:4711" // the gateway's
	if b.cookie != nil {
		r.AddCookie(&http.Cookie{Name: b.cookie.Name, Value: b.cookie.Value})
	}
	for pair := range slices.Chunk(headers, 2) {
		r.Header.Set(pair[0], pair[1])
	}
	return r
}

// do sends a request; a body is JSON unless a header says otherwise.
func (b *browser) do(method, target, body string, headers ...string) answer {
	recorder := httptest.NewRecorder()
	b.w.ServeHTTP(recorder, b.request(method, target, body, headers...))
	b.w.records.note(recorder)
	b.keepCookie(recorder.Result().Cookies())
	return answer{recorder, b.w}
}

func (b *browser) get(target string, headers ...string) answer {
	return b.do(http.MethodGet, target, "", headers...)
}

func (b *browser) post(target, body string, headers ...string) answer {
	return b.do(http.MethodPost, target, body, headers...)
}

// answer is what the service said.
type answer struct {
	*httptest.ResponseRecorder
	w *world
}

// at is the value of the JSON body behind the names and positions, nil where there is none.
func (a answer) at(names ...string) any {
	a.w.t.Helper()
	var value any
	if err := json.Unmarshal(a.Body.Bytes(), &value); err != nil {
		a.w.t.Fatalf("body %q: %v", a.Body, err)
	}
	for _, name := range names {
		object, _ := value.(map[string]any)
		if list, isList := value.([]any); isList {
			object = map[string]any{}
			for i, item := range list {
				object[strconv.Itoa(i)] = item
			}
		}
		value = object[name]
	}
	return value
}

// want holds the answer to a status.
func (a answer) want(status int) answer {
	a.w.t.Helper()
	if a.Code != status {
		a.w.t.Errorf("answer %d %s, want %d", a.Code, a.Body, status)
	}
	return a
}

// wantAt holds a value of the body to want.
func (a answer) wantAt(want any, names ...string) answer {
	a.w.t.Helper()
	if got := a.at(names...); got != want {
		a.w.t.Errorf("%s is %#v, want %#v", strings.Join(names, "."), got, want)
	}
	return a
}

// wantCount holds the number of items or fields of a value of the body to n.
func (a answer) wantCount(n int, names ...string) answer {
	a.w.t.Helper()
	if value := reflect.ValueOf(a.at(names...)); !value.IsValid() || value.Len() != n {
		a.w.t.Errorf("%s of %s does not have %d items", strings.Join(names, "."), a.Body, n)
	}
	return a
}

// wantError holds the answer to a status and the text for people.
func (a answer) wantError(status int, text string) answer {
	a.w.t.Helper()
	return a.want(status).wantAt(false, "success").wantAt(text, "error")
}

// wantErrorOnly is wantError with a body that holds nothing else.
func (a answer) wantErrorOnly(status int, text string) answer {
	a.w.t.Helper()
	return a.wantError(status, text).wantCount(2)
}
