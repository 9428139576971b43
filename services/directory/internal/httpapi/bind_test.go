package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/fault"
)

// names is a part that several requests have.
type names struct {
	Name string `body:"name,required"`
}

// everyField is a request with a field of each type.
type everyField struct {
	names
	Text      string    `body:"text"`
	MaybeText *string   `body:"maybe_text"`
	List      *[]string `body:"list"`
	Key       Key       `body:"key"`
	Company   *int64    `body:"company_id"`
	Flag      bool      `body:"flag"`
	MaybeFlag *bool     `body:"maybe_flag"`
}

func newContext(body io.Reader, contentType string) (echo.Context, *httptest.ResponseRecorder) {
	request := httptest.NewRequest(http.MethodPost, "/", body)
	request.Header.Set(echo.HeaderContentType, contentType)
	response := httptest.NewRecorder()
	return echo.New().NewContext(request, response), response
}

// TestFieldsOfABody reads bodies whose name is "n" into a request that has other values.
func TestFieldsOfABody(t *testing.T) {
	for body, want := range map[string]func(*everyField){
		``:                                 func(*everyField) {},
		`"text":"t"`:                       func(r *everyField) { r.Text = "t" },
		`"text":null`:                      func(*everyField) {},
		`"text":""`:                        func(*everyField) {},
		`"Text":"t"`:                       func(*everyField) {},
		`"maybe_text":"m"`:                 func(r *everyField) { r.MaybeText = new("m") },
		`"maybe_text":""`:                  func(r *everyField) { r.MaybeText = new("") },
		`"maybe_text":null`:                func(*everyField) {},
		`"list":["a","b"]`:                 func(r *everyField) { r.List = &[]string{"a", "b"} },
		`"list":[]`:                        func(r *everyField) { r.List = &[]string{} },
		`"list":null`:                      func(*everyField) {},
		`"key":"k"`:                        func(r *everyField) { r.Key = "k" },
		`"key":"1.5"`:                      func(r *everyField) { r.Key = "1.5" },
		`"key":17`:                         func(r *everyField) { r.Key = "17" },
		`"key":-9223372036854775808`:       func(r *everyField) { r.Key = "-9223372036854775808" },
		`"key":null`:                       func(*everyField) {},
		`"company_id":7`:                   func(r *everyField) { r.Company = new(int64(7)) },
		`"company_id":"08"`:                func(r *everyField) { r.Company = new(int64(8)) },
		`"company_id":9223372036854775807`: func(r *everyField) { r.Company = new(int64(9223372036854775807)) },
		`"company_id":9223372036854775808`: func(r *everyField) { r.Company = new(int64(0)) },
		`"company_id":-1`:                  func(r *everyField) { r.Company = new(int64(0)) },
		`"company_id":0`:                   func(r *everyField) { r.Company = new(int64(0)) },
		`"company_id":null`:                func(*everyField) {},
		`"company_id":""`:                  func(*everyField) {},
		`"flag":false`:                     func(r *everyField) { r.Flag = false },
		`"flag":true`:                      func(*everyField) {},
		`"flag":null`:                      func(*everyField) {},
		`"maybe_flag":true`:                func(r *everyField) { r.MaybeFlag = new(true) },
		`"maybe_flag":false`:               func(r *everyField) { r.MaybeFlag = new(false) },
		`"maybe_flag":null`:                func(*everyField) {},
		`"text":"t","flag":false,"list":["a"]`: func(r *everyField) {
			r.Text = "t"
			r.Flag = false
			r.List = &[]string{"a"}
		},
	} {
		c, _ := newContext(
			strings.NewReader(strings.Replace(`{"name":"n",`+body+`}`, ",}", "}", 1)),
			"application/json; charset=utf-8",
		)
		absent := everyField{Flag: true}
		expected := absent
		expected.Name = "n"
		want(&expected)
		got, err := BindJSON(c, absent)
		if diff := cmp.Diff(expected, got, cmp.AllowUnexported(everyField{})); diff != "" || err != nil {
			t.Errorf("%s: %v, (-want +got):\n%s", body, err, diff)
		}
	}
}

// TestRefusedFields names the first field that is not good.
func TestRefusedFields(t *testing.T) {
	for body, want := range map[string]error{
		`{}`:                                     CodeMissingField.Of("name"),
		`{"name":null}`:                          CodeMissingField.Of("name"),
		`{"name":""}`:                            CodeMissingField.Of("name"),
		`{"text":1}`:                             CodeMissingField.Of("name"),
		`{"name":1,"text":1}`:                    CodeInvalidField.Of("name"),
		`{"name":"n","text":1}`:                  CodeInvalidField.Of("text"),
		`{"name":"n","maybe_text":1}`:            CodeInvalidField.Of("maybe_text"),
		`{"name":"n","list":"a"}`:                CodeInvalidField.Of("list"),
		`{"name":"n","list":[1]}`:                CodeInvalidField.Of("list"),
		`{"name":"n","key":1.5}`:                 CodeInvalidField.Of("key"),
		`{"name":"n","key":true}`:                CodeInvalidField.Of("key"),
		`{"name":"n","key":1e3}`:                 CodeInvalidField.Of("key"),
		`{"name":"n","key":9223372036854775808}`: CodeInvalidField.Of("key"),
		`{"name":"n","company_id":1.5}`:          CodeInvalidField.Of("company_id"),
		`{"name":"n","company_id":"x"}`:          CodeInvalidField.Of("company_id"),
		`{"name":"n","company_id":true}`:         CodeInvalidField.Of("company_id"),
		`{"name":"n","company_id":"\ud800"}`:     CodeInvalidField.Of("company_id"),
		`{"name":"n","flag":"true"}`:             CodeInvalidField.Of("flag"),
		`{"name":"n","maybe_flag":1}`:            CodeInvalidField.Of("maybe_flag"),
	} {
		c, _ := newContext(strings.NewReader(body), "application/json")
		_, err := BindJSON(c, everyField{})
		requireSame(t, body, err, want)
	}
}

// requireSame compares the code and the text of two faults.
func requireSame(t *testing.T, what string, got, want error) {
	t.Helper()
	g, w := fault.From(got), fault.From(want)
	if got == nil || g.Code != w.Code {
		t.Fatalf("%s: %v, want %v", what, got, want)
	}
	if g.Message != w.Message || g.Kind != w.Kind {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}

// TestKindsOfBodies reads a name out of JSON and forms with each of the functions.
func TestKindsOfBodies(t *testing.T) {
	const form, boundary = "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"
	part := "--x\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nn\r\n--x--\r\n"
	named := func(bind func(echo.Context, names) (names, error)) func(body io.Reader, kind string) (string, error) {
		return func(body io.Reader, kind string) (string, error) {
			c, _ := newContext(body, kind)
			r, err := bind(c, names{})
			return r.Name, err
		}
	}
	noName := CodeMissingField.Of("name")
	broken := iotest.ErrReader(errors.New("reset by peer"))
	large := iotest.ErrReader(fmt.Errorf("read: %w", &http.MaxBytesError{Limit: 1}))
	for _, test := range []struct {
		name             string
		body             func() io.Reader
		kind             string
		json, both, form error // nil: the name was read
	}{
		{"JSON", func() io.Reader { return strings.NewReader(`{"name":"n"}`) }, "application/json", nil, nil,
			CodeUnreadableForm.Fault()},
		{"form", func() io.Reader { return strings.NewReader("name=n&name=m") }, form, CodeNoJSON.Fault(), nil, nil},
		{"multipart", func() io.Reader { return strings.NewReader(part) }, boundary, CodeNoJSON.Fault(), nil,
			CodeUnreadableForm.Fault()},
		{"nothing", func() io.Reader { return strings.NewReader("") }, "", CodeNoJSON.Fault(), noName,
			CodeUnreadableForm.Fault()},
		{"unreadable type", func() io.Reader { return strings.NewReader("") }, "/", CodeNoJSON.Fault(), noName,
			CodeUnreadableForm.Fault()},
		{"text", func() io.Reader { return strings.NewReader(`{"name":"n"}`) }, "text/plain", CodeNoJSON.Fault(),
			CodeNoJSON.Fault(), CodeUnreadableForm.Fault()},
		{"null", func() io.Reader { return strings.NewReader(`null`) }, "application/json", CodeNoJSON.Fault(),
			CodeNoJSON.Fault(), CodeUnreadableForm.Fault()},
		{"half JSON", func() io.Reader { return strings.NewReader(`{"name":`) }, "application/json", CodeNoJSON.Fault(),
			CodeNoJSON.Fault(), CodeUnreadableForm.Fault()},
		{"no boundary", func() io.Reader { return strings.NewReader(part) }, "multipart/form-data", CodeNoJSON.Fault(),
			CodeUnreadableBody.Fault(), CodeUnreadableForm.Fault()},
		{"bad escape", func() io.Reader { return strings.NewReader("name=%zz") }, form, CodeNoJSON.Fault(),
			CodeUnreadableBody.Fault(), CodeUnreadableBody.Fault()},
		{"aborted JSON", func() io.Reader { return broken }, "application/json", CodeUnreadableBody.Fault(),
			CodeUnreadableBody.Fault(), CodeUnreadableForm.Fault()},
		{"aborted form", func() io.Reader { return broken }, form, CodeNoJSON.Fault(), CodeUnreadableBody.Fault(),
			CodeUnreadableBody.Fault()},
	} {
		for function, want := range map[string]error{"BindJSON": test.json, "BindJSONOrForm": test.both,
			"BindForm": test.form} {
			bind := map[string]func(echo.Context, names) (names, error){
				"BindJSON": BindJSON[names], "BindJSONOrForm": BindJSONOrForm[names], "BindForm": BindForm[names],
			}[function]
			name, err := named(bind)(test.body(), test.kind)
			if want != nil {
				requireSame(t, function+" of "+test.name, err, want)
			} else if name != "n" || err != nil {
				t.Errorf("%s of %s: %q, %v", function, test.name, name, err)
			}
		}
	}
	var limit *http.MaxBytesError // of the error handler, which responds with 413
	for _, kind := range []string{"application/json", form} {
		if _, err := named(BindJSONOrForm[names])(large, kind); !errors.As(err, &limit) ||
			fault.From(err).Code == CodeUnreadableBody.Name {
			t.Errorf("a large %s: %v", kind, err)
		}
	}
}

func TestParametersOfAnAddress(t *testing.T) {
	context := func(id, query string) echo.Context {
		c := echo.New().NewContext(httptest.NewRequest(http.MethodGet, "/?"+query, nil), httptest.NewRecorder())
		c.SetParamNames("id")
		c.SetParamValues(id)
		return c
	}
	for id, want := range map[string]int64{"1": 1, "9223372036854775807": 9223372036854775807, "9223372036854775808": 0,
		"0": 0, "-1": 0, "+1": 0, "x": 0, "": 0} {
		if got, ok := PathID(context(id, "")); got != want || ok != (want != 0) {
			t.Errorf("path %q: %d, %t", id, got, ok)
		}
	}
	for query, want := range map[string]int64{"": 0, "n=": 0, "n=7": 7, "m=7": 0} {
		if got, err := QueryID(context("", query), "n"); got != want || err != nil {
			t.Errorf("query %q: %d, %v", query, got, err)
		}
	}
	company := func(id int64) *int64 { return &id }
	for query, want := range map[string]*int64{"": nil, "n=": nil, "n=7": company(7), "n=007": company(7),
		"n=0": company(0), "n=-7": company(0), "n=9223372036854775808": company(0)} {
		if got, err := QueryCompanyID(context("", query), "n"); !cmp.Equal(got, want) || err != nil {
			t.Errorf("company of query %q: %v, %v", query, got, err)
		}
	}
	for _, value := range []string{"0", "-1", "x", "1.0"} {
		_, err := QueryID(context("", "n="+value), "n")
		requireSame(t, value, err, CodeInvalidParameter.Of("n"))
	}
	for _, value := range []string{"x", "1.0", "-"} {
		_, err := QueryCompanyID(context("", "n="+value), "n")
		requireSame(t, value, err, CodeInvalidParameter.Of("n"))
	}
	for path, want := range map[string][2]string{"/a%2Fb": {"a%2Fb", "a/b"}, "/a%25b": {"a%b", "a%b"},
		"/%2F%zz": {"%2F%zz", "%2F%zz"}} {
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		if raw := strings.TrimPrefix(path, "/"); strings.Contains(raw, "%2F") {
			request.URL.RawPath = path
		}
		c := echo.New().NewContext(request, httptest.NewRecorder())
		c.SetParamNames("slug")
		c.SetParamValues(want[0])
		if got := PathParam(c, "slug"); got != want[1] {
			t.Errorf("%s: %q, want %q", path, got, want[1])
		}
	}
}

// TestSyncResponses checks the whole response to a sync, and which failures are its result.
func TestSyncResponses(t *testing.T) {
	cause := errors.New("cause")
	const request = `{"company_id":7}`
	for name, test := range map[string]struct {
		body    string
		refused error
		failure error
		want    string // of the body, with the code and the retry time of a fault
		logged  bool
	}{
		"done": {request, nil, nil, `{"success":true,"data":{"followers":3},"message":"Pobrano.","code":null}`,
			false},
		"no company": {`{}`, nil, nil, `{"success":false,"error":"Pole company_id jest wymagane."} invalid 0s`,
			false},
		"not allowed": {request, fault.New(fault.Forbidden, "no", "Nie."), nil,
			`{"success":false,"error":"Nie."} forbidden 0s`, false},
		"no connection": {request, nil, fault.New(fault.NotFound, "none", "Brak."),
			`{"success":false,"error":"Brak.","data":null,"message":"Brak.","code":"none"} invalid 0s`, true},
		"provider": {request, nil, fault.New(fault.Unavailable, "provider_temporary", "Później.").After(time.Minute),
			`{"success":false,"error":"Później.","data":null,"message":"Później.","code":"provider_temporary"} ` +
				`invalid 1m0s`, true},
		"too often": {request, nil, fault.New(fault.Limited, "limit", "Za często.").After(time.Hour),
			`{"success":false,"error":"Za często.","data":null,"message":"Za często.","code":"limit"} limited 1h0m0s`,
			false},
		"own failure": {request, nil, cause, `{"success":false,"error":"` + fault.From(cause).Message +
			`","data":null,"message":"` + fault.From(cause).Message + `","code":"internal"} internal 0s`, false},
	} {
		var log bytes.Buffer
		c, response := newContext(strings.NewReader(test.body), "application/json")
		c.SetPath("/sync")
		err := Sync(c, func(id int64) error {
			if id != 7 {
				t.Errorf("%s: of company %d", name, id)
			}
			return test.refused
		}, slog.New(slog.NewTextHandler(&log, nil)), "Pobrano.", func(_ context.Context, id int64) (any, error) {
			return map[string]int64{"followers": id - 4}, test.failure
		})
		got := strings.TrimSpace(response.Body.String())
		if err != nil {
			f := fault.From(err)
			encoded, _ := json.Marshal(Render(f))
			kinds := map[fault.Kind]string{
				fault.Invalid:   "invalid",
				fault.Forbidden: "forbidden",
				fault.Limited:   "limited",
				fault.Internal:  "internal",
			}
			got += fmt.Sprintf("%s %s %s", encoded, kinds[f.Kind], f.RetryAfter)
		}
		if got != test.want {
			t.Fatalf("%s: %d %s, %v, want %s", name, response.Code, got, err, test.want)
		}
		if err == nil && response.Code != http.StatusOK {
			t.Fatalf("%s: %d %s, %v, want %s", name, response.Code, got, err, test.want)
		}
		if test.failure != nil && !errors.Is(err, test.failure) {
			t.Errorf("%s: %d %s, %v, want %s", name, response.Code, got, err, test.want)
		}
		logged := strings.Contains(log.String(), `msg="not synced" company=7 route=/sync error=`)
		if logged != test.logged ||
			!logged && log.Len() > 0 {
			t.Errorf("%s: logged %s", name, &log)
		}
	}
}

// TestRevalidation checks that a client gets a body once, as long as it is the same.
func TestRevalidation(t *testing.T) {
	send := func(body any, tag string) *httptest.ResponseRecorder {
		request, response := httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()
		request.Header.Set("If-None-Match", tag)
		if err := JSONWithETag(echo.New().NewContext(request, response), body); err != nil {
			t.Fatal(err)
		}
		return response
	}
	first := send(map[string]int{"a": 1}, "")
	tag := first.Header().Get("ETag")
	if first.Code != 200 || first.Body.String() != "{\"a\":1}\n" {
		t.Fatalf("first: %d %v %s", first.Code, first.Header(), first.Body)
	}
	if len(tag) != 18 || first.Header().Get("Cache-Control") != "no-cache" {
		t.Fatalf("first: %d %v %s", first.Code, first.Header(), first.Body)
	}
	if first.Header().Get("Content-Type") != "application/json" {
		t.Errorf("first: %d %v %s", first.Code, first.Header(), first.Body)
	}
	if again := send(map[string]int{"a": 1}, tag); again.Code != 304 || again.Body.Len() > 0 ||
		again.Header().Get("ETag") != tag {
		t.Errorf("again: %d %v %s", again.Code, again.Header(), again.Body)
	}
	if changed := send(map[string]int{"a": 2}, tag); changed.Code != 200 || changed.Header().Get("ETag") == tag {
		t.Errorf("changed: %d %v %s", changed.Code, changed.Header(), changed.Body)
	}
	err := JSONWithETag(
		echo.New().NewContext(httptest.NewRequest(http.MethodGet, "/", nil), httptest.NewRecorder()), func() {})
	if err == nil {
		t.Error("a function is no JSON")
	}
}
