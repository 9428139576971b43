package search_test

import (
	"net/http/httptest"
	"testing"

	"backend.example/deploy/sandbox/upstream"
)

func TestAGrantOpensTheAPIs(t *testing.T) {
	a := newApp(t)
	tokens := a.Grant("anna", business)
	if tokens.Refresh == "" {
		t.Error("there is no refresh token")
	}
	if status := a.ask(tokens.Access); status != 200 {
		t.Errorf("the accounts answer %d", status)
	}
	a.SetToggle("quota_zero", true)
	if status := a.ask(tokens.Access); status != 429 {
		t.Errorf("without a quota: %d", status)
	}
	a.SetToggle("quota_zero", false)
	a.SetFault(upstream.Fault{Kind: "status", Status: 503})
	if status := a.ask(tokens.Access); status != 503 {
		t.Errorf("with a fault: %d", status)
	}
	a.ClearFault()
	a.Do("revoke-grants", `{"account":"anna"}`)
	if status := a.ask(tokens.Access); status != 401 {
		t.Errorf("after the revocation: %d", status)
	}
	if requests := a.Requests(); len(requests) != 4 || requests[2].Status != 503 {
		t.Errorf("the log has %+v", requests)
	}
}

// ask sends a request through the request log and the faults.
func (a *app) ask(token string) int {
	request := httptest.NewRequest("GET", "/v1/accounts", nil)
	request.Header.Set("Authorization", "Bearer "+token)
	recorder := httptest.NewRecorder()
	a.ServeHTTP(recorder, request)
	return recorder.Code
}
