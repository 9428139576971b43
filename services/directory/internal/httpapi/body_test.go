package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"backend.example/services/directory/internal/httpapi"
)

const runAudit = "/api/bizprofile/audit"

// withBody lists the operations that need a JSON body.
func withBody() []string {
	return []string{"/api/auth/login", "/api/auth/password", "/api/auth/reset", "/api/auth/reset/confirm", "/api/auth/sessions/end", selectLocation, selectPage, syncPage, syncPhotos, syncAnalytics, syncPerformance, runAudit}
}

func TestBodyIsNoJSON(t *testing.T) {
	tests := []struct{ body, contentType string }{
		{"", ""}, {"", "application/json"}, {"{}", "text/plain"}, {"{}", "application/jsonp"}, {"{}", "application/"}, {"{}", "/"},
		{"company_id=1", form}, {"company_id=1", "application/json"}, {"{", "application/json"}, {`{"company_id":1`, "application/json"},
		{`{"company_id":1}}`, "application/json"}, {`{} {}`, "application/json"}, {`{"company_id":01}`, "application/json"},
		{`{company_id:1}`, "application/json"}, {"[]", "application/json"}, {`[{"company_id":1}]`, "application/json"},
		{"null", "application/json"}, {"1", "application/json"}, {`"{}"`, "application/json"}, {"\ufeff{}", "application/json"},
		{`{"a":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + "}", "application/json"},
	}
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		for _, path := range withBody() {
			for _, test := range tests {
				b.post(path, test.body, "Content-Type", test.contentType).wantErrorOnly(400, textNoJSON)
			}
		}
		for _, test := range tests {
			if test.contentType == "application/json" {
				b.post(discoverPages, test.body, "Content-Type", test.contentType).wantErrorOnly(400, textNoJSON)
			}
		}
	})
}

func TestBodyLimit(t *testing.T) {
	padded := func(fields string, size int) string { return fields + strings.Repeat(" ", size-len(fields)) }
	withService(t, func(t *testing.T, w *world) {
		w.connectPage()
		b := w.loggedInAs(w.Anna)
		for _, path := range append(withBody(), discoverPages) {
			b.post(path, padded(of(w.Company), httpapi.BodyLimit+1)).wantErrorOnly(413, textTooLarge)
		}
		b.post(syncPage, padded(of(w.Company), httpapi.BodyLimit)).want(200)
		company := fmt.Sprintf("company_id=%d&x=", w.Company.ID)
		b.post(discoverPages, company+strings.Repeat("x", httpapi.BodyLimit), "Content-Type", form).wantErrorOnly(413, textTooLarge)
		part := "--x\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\n" + strings.Repeat("x", httpapi.BodyLimit)
		b.post(discoverPages, part, "Content-Type", "multipart/form-data; boundary=x").wantErrorOnly(413, textTooLarge)
	})
}

// TestCompanyIDOfABody: ID stands for the id of a company that can be synced.
func TestCompanyIDOfABody(t *testing.T) {
	tests := map[string][]string{ // text → values; none if they are good
		"":                        {`ID`, `"ID"`, `"00ID"`},
		textMissing("company_id"): {`null`, `""`},
		textInvalid("company_id"): {
			`"+ID"`, `1.5`, `ID.0`, `1e0`, `" ID"`, `true`, `[ID]`, `{}`, `"x"`, `"0x1"`, `"1_0"`, `"١"`, `"\u0000"`, `1e400`, `"-"`, `"--1"`,
		},
	}
	withService(t, func(t *testing.T, w *world) {
		w.connectPage()
		b, id := w.loggedInAs(w.Anna), fmt.Sprint(w.Company.ID)
		for text, values := range tests {
			for _, value := range values {
				body := `{"company_id":` + strings.ReplaceAll(value, "ID", id) + `}`
				if a := b.post(syncPage, body); text == "" {
					a.want(200)
				} else {
					a.wantErrorOnly(400, text)
				}
			}
		}
		// An integer that is no company's id names a company that is not there.
		for _, value := range []string{
			`0`, `"0"`, `-0`, `-1`, `"-1"`, "-" + id, `9223372036854775807`, `9223372036854775808`, `"` + strings.Repeat("9", 400) + `"`,
		} {
			body := `{"company_id":` + value + `,"page_id":"104118","slug":"piekarnia"}`
			b.post(syncPage, body).wantErrorOnly(403, textNotAllowed)
			b.post(selectPage, body).wantErrorOnly(404, textNoConnection)
			b.post(runAudit, body).wantErrorOnly(404, textUnknown)
		}
	})
}

// TestOtherFieldsOfABody: undocumented fields are ignored, names are
// exact, and of a field that comes twice the last one counts.
func TestOtherFieldsOfABody(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connectPage()
		b, id := w.loggedInAs(w.Anna), fmt.Sprint(w.Company.ID)
		b.post(syncPage, `{"company_id":`+id+`,"x":{"company_id":2},"y":1e400,"Company_ID":3,"":[]}`).want(200)
		b.post(syncPage, `{"company_id":"x","company_id":`+id+`}`).want(200)
		b.post(syncPage, `{"company_id":`+id+`,"company_id":null}`).wantErrorOnly(400, textMissing("company_id"))
		b.post(syncPage, `{"Company_ID":`+id+`}`).wantErrorOnly(400, textMissing("company_id"))
	})
}
