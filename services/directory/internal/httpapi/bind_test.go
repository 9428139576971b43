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
	type row struct {
		body string // what follows the name
		set  func(*everyField)
	}
	rows := []row{
		{`"text":"t"`, func(r *everyField) { r.Text = "t" }},
		{`"maybe_text":"m"`, func(r *everyField) { r.MaybeText = new("m") }},
		{`"maybe_text":""`, func(r *everyField) { r.MaybeText = new("") }},
		{`"list":["a","b"]`, func(r *everyField) { r.List = &[]string{"a", "b"} }},
		{`"list":[]`, func(r *everyField) { r.List = &[]string{} }},
		{`"key":"k"`, func(r *everyField) { r.Key = "k" }},
		{`"key":"1.5"`, func(r *everyField) { r.Key = "1.5" }},
		{`"key":17`, func(r *everyField) { r.Key = "17" }},
		{`"key":-9223372036854775808`, func(r *everyField) { r.Key = "-9223372036854775808" }},
		{`"company_id":7`, func(r *everyField) { r.Company = new(int64(7)) }},
		{`"company_id":"08"`, func(r *everyField) { r.Company = new(int64(8)) }},
		{`"company_id":9223372036854775807`, func(r *everyField) { r.Company = new(int64(9223372036854775807)) }},
		{`"company_id":9223372036854775808`, func(r *everyField) { r.Company = new(int64(0)) }},
		{`"company_id":-1`, func(r *everyField) { r.Company = new(int64(0)) }},
		{`"company_id":0`, func(r *everyField) { r.Company = new(int64(0)) }},
		{`"flag":false`, func(r *everyField) { r.Flag = false }},
		{`"maybe_flag":true`, func(r *everyField) { r.MaybeFlag = new(true) }},
		{`"maybe_flag":false`, func(r *everyField) { r.MaybeFlag = new(false) }},
		{`"text":"t","flag":false,"list":["a"]`, func(r *everyField) {
			r.Text = "t"
			r.Flag = false
			r.List = &[]string{"a"}
		}},
	}
	for _, body := range []string{ // that leave every field as it is
		``, `"text":null`, `"text":""`, `"Text":"t"`, `"maybe_text":null`, `"list":null`, `"key":null`,
		`"company_id":null`, `"company_id":""`, `"flag":true`, `"flag":null`, `"maybe_flag":null`,
	} {
		rows = append(rows, row{body, func(*everyField) {}})
	}
	for _, test := range rows {
		whole := strings.Replace(`{"name":"n",`+test.body+`}`, ",}", "}", 1)
		c, _ := newContext(strings.NewReader(whole), "application/json; charset=utf-8")
		absent := everyField{Flag: true}
		want := absent
		want.Name = "n"
		test.set(&want)
		got, err := BindJSON(c, absent)
		if err != nil {
			t.Errorf("%s: %v", whole, err)
		}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(everyField{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", whole, diff)
		}
	}
}

// TestRefusedFields: the error names the first field that cannot be read.
func TestRefusedFields(t *testing.T) {
	for _, test := range []struct {
		body  string
		code  fault.Code
		field string
	}{
		{`{}`, CodeMissingField, "name"},
		{`{"name":null}`, CodeMissingField, "name"},
		{`{"name":""}`, CodeMissingField, "name"},
		{`{"text":1}`, CodeMissingField, "name"},
		{`{"name":1,"text":1}`, CodeInvalidField, "name"},
		{`{"name":"n","text":1}`, CodeInvalidField, "text"},
		{`{"name":"n","maybe_text":1}`, CodeInvalidField, "maybe_text"},
		{`{"name":"n","list":"a"}`, CodeInvalidField, "list"},
		{`{"name":"n","list":[1]}`, CodeInvalidField, "list"},
		{`{"name":"n","key":1.5}`, CodeInvalidField, "key"},
		{`{"name":"n","key":true}`, CodeInvalidField, "key"},
		{`{"name":"n","key":1e3}`, CodeInvalidField, "key"},
		{`{"name":"n","key":9223372036854775808}`, CodeInvalidField, "key"},
		{`{"name":"n","company_id":1.5}`, CodeInvalidField, "company_id"},
		{`{"name":"n","company_id":"x"}`, CodeInvalidField, "company_id"},
		{`{"name":"n","company_id":true}`, CodeInvalidField, "company_id"},
		{`{"name":"n","company_id":"\ud800"}`, CodeInvalidField, "company_id"},
		{`{"name":"n","flag":"true"}`, CodeInvalidField, "flag"},
		{`{"name":"n","maybe_flag":1}`, CodeInvalidField, "maybe_flag"},
	} {
		c, _ := newContext(strings.NewReader(test.body), "application/json")
		_, err := BindJSON(c, everyField{})
		requireSame(t, test.body, err, test.code.Of(test.field))
	}
}

// requireSame compares the kind, the code and the text of two faults.
func requireSame(t *testing.T, what string, got, want error) {
	t.Helper()
	if got == nil {
		t.Errorf("%s: no error, want %v", what, want)
		return
	}
	type parts struct {
		Kind          fault.Kind
		Code, Message string
	}
	of := func(f *fault.Error) parts { return parts{f.Kind, f.Code, f.Message} }
	if diff := cmp.Diff(of(fault.From(want)), of(fault.From(got))); diff != "" {
		t.Errorf("%s: error (-want +got):\n%s", what, diff)
	}
}

// TestKindsOfBodies reads a name out of JSON and forms with each of the functions.
func TestKindsOfBodies(t *testing.T) {
	const jsonKind, formKind = "application/json", "application/x-www-form-urlencoded"
	const multipartKind = "multipart/form-data; boundary=x"
	part := "--x\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nn\r\n--x--\r\n"
	type function func(echo.Context, names) (names, error)
	nameOf := func(bind function, body io.Reader, kind string) (string, error) {
		c, _ := newContext(body, kind)
		r, err := bind(c, names{})
		return r.Name, err
	}
	text := func(content string) func() io.Reader {
		return func() io.Reader { return strings.NewReader(content) }
	}
	broken := func() io.Reader { return iotest.ErrReader(errors.New("reset by peer")) }
	noJSON, noForm := CodeNoJSON.Fault(), CodeUnreadableForm.Fault()
	noName, unreadable := CodeMissingField.Of("name"), CodeUnreadableBody.Fault()
	for _, test := range []struct {
		name string
		body func() io.Reader
		kind string
		// The errors of BindJSON, BindJSONOrForm and BindForm; nil if the name is read.
		json, both, form *fault.Error
	}{
		{"JSON", text(`{"name":"n"}`), jsonKind, nil, nil, noForm},
		{"form", text("name=n&name=m"), formKind, noJSON, nil, nil},
		{"multipart", text(part), multipartKind, noJSON, nil, noForm},
		{"nothing", text(""), "", noJSON, noName, noForm},
		{"unreadable type", text(""), "/", noJSON, noName, noForm},
		{"text", text(`{"name":"n"}`), "text/plain", noJSON, noJSON, noForm},
		{"null", text(`null`), jsonKind, noJSON, noJSON, noForm},
		{"half JSON", text(`{"name":`), jsonKind, noJSON, noJSON, noForm},
		{"no boundary", text(part), "multipart/form-data", noJSON, unreadable, noForm},
		{"bad escape", text("name=%zz"), formKind, noJSON, unreadable, unreadable},
		{"aborted JSON", broken, jsonKind, unreadable, unreadable, noForm},
		{"aborted form", broken, formKind, noJSON, unreadable, unreadable},
	} {
		for _, call := range []struct {
			name string
			bind function
			want *fault.Error
		}{
			{"BindJSON", BindJSON[names], test.json},
			{"BindJSONOrForm", BindJSONOrForm[names], test.both},
			{"BindForm", BindForm[names], test.form},
		} {
			name, err := nameOf(call.bind, test.body(), test.kind)
			if call.want != nil {
				requireSame(t, call.name+" of "+test.name, err, call.want)
				continue
			}
			if err != nil || name != "n" {
				t.Errorf("%s of %s: name %q, error %v; want n", call.name, test.name, name, err)
			}
		}
	}
	for _, kind := range []string{jsonKind, formKind} { // the error handler responds to a large body with 413
		large := iotest.ErrReader(fmt.Errorf("read: %w", &http.MaxBytesError{Limit: 1}))
		_, err := nameOf(BindJSONOrForm[names], large, kind)
		if limit := (*http.MaxBytesError)(nil); !errors.As(err, &limit) {
			t.Errorf("a large %s: error %v, want that of the limit", kind, err)
		}
		if fault.Is(err, CodeUnreadableBody) {
			t.Errorf("a large %s: error %v, want no code", kind, err)
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
			t.Errorf("path %q: id %d, %t; want %d", id, got, ok, want)
		}
	}
	for query, want := range map[string]int64{"": 0, "n=": 0, "n=7": 7, "m=7": 0} {
		if got, err := QueryID(context("", query), "n"); got != want || err != nil {
			t.Errorf("query %q: id %d, error %v; want %d", query, got, err, want)
		}
	}
	company := func(id int64) *int64 { return &id }
	for query, want := range map[string]*int64{"": nil, "n=": nil, "n=7": company(7), "n=007": company(7),
		"n=0": company(0), "n=-7": company(0), "n=9223372036854775808": company(0)} {
		if got, err := QueryCompanyID(context("", query), "n"); !cmp.Equal(got, want) || err != nil {
			t.Errorf("company of query %q (-want +got), error %v:\n%s", query, err, cmp.Diff(want, got))
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
}

// TestPathParam: the router decodes a path with a usual encoding only; net/http sets RawPath for others.
func TestPathParam(t *testing.T) {
	for _, test := range []struct{ rawPath, param, want string }{
		{"/a%2Fb", "a%2Fb", "a/b"},
		{"", "a%b", "a%b"},
		{"/%2F%zz", "%2F%zz", "%2F%zz"},
	} {
		request := httptest.NewRequest(http.MethodGet, "/", nil)
		request.URL.RawPath = test.rawPath
		c := echo.New().NewContext(request, httptest.NewRecorder())
		c.SetParamNames("slug")
		c.SetParamValues(test.param)
		if got := PathParam(c, "slug"); got != test.want {
			t.Errorf("parameter %q of the path %q: %q, want %q", test.param, test.rawPath, got, test.want)
		}
	}
}

// TestSyncResponses checks the whole response to a sync, and which failures are its result.
func TestSyncResponses(t *testing.T) {
	cause := errors.New("cause")
	const request = `{"company_id":7}`
	for name, test := range map[string]struct {
		body    string
		refused error  // of the check of rights
		failure error  // of the sync
		want    string // the body of the response, and of a failure the kind and the time to wait
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
			t.Errorf("%s: response %s, want %s", name, got, test.want)
		}
		if err == nil && response.Code != http.StatusOK {
			t.Errorf("%s: status %d, want 200", name, response.Code)
		}
		if test.failure != nil && !errors.Is(err, test.failure) {
			t.Errorf("%s: error %v does not wrap %v", name, err, test.failure)
		}
		if !test.logged && log.Len() > 0 {
			t.Errorf("%s: logged %s, want nothing", name, &log)
		}
		const line = `msg="not synced" company=7 route=/sync error=`
		if test.logged && !strings.Contains(log.String(), line) {
			t.Errorf("%s: logged %q, want %q in it", name, &log, line)
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
	requireResponse := func(what string, response *httptest.ResponseRecorder, status int, body string) {
		t.Helper()
		if response.Code != status {
			t.Errorf("%s: status %d, want %d", what, response.Code, status)
		}
		if got := response.Body.String(); got != body {
			t.Errorf("%s: body %q, want %q", what, got, body)
		}
	}
	first := send(map[string]int{"a": 1}, "")
	requireResponse("first", first, http.StatusOK, "{\"a\":1}\n")
	for header, want := range map[string]string{"Cache-Control": "no-cache", "Content-Type": "application/json"} {
		if got := first.Header().Get(header); got != want {
			t.Errorf("%s %q, want %q", header, got, want)
		}
	}
	tag := first.Header().Get("ETag")
	if len(tag) != 18 {
		t.Errorf("ETag %s, want 16 characters in quotes", tag)
	}
	again := send(map[string]int{"a": 1}, tag)
	requireResponse("the same", again, http.StatusNotModified, "")
	if got := again.Header().Get("ETag"); got != tag {
		t.Errorf("the same: ETag %s, want %s", got, tag)
	}
	changed := send(map[string]int{"a": 2}, tag)
	requireResponse("another", changed, http.StatusOK, "{\"a\":2}\n")
	if changed.Header().Get("ETag") == tag {
		t.Error("another body has the same ETag")
	}
	c, _ := newContext(nil, "")
	if err := JSONWithETag(c, func() {}); err == nil {
		t.Error("a function is encoded as JSON")
	}
}
