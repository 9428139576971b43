package search

import "net/http"

// revoke ends the grant of a token (RFC 7009, with the provider's answers).
func (s *site) revoke(w http.ResponseWriter, r *http.Request) {
	form, err := readForm(w, r)
	if err != nil {
		s.refuse(w, countRevocations, err)
		return
	}
	if form.Get("token") == "" {
		s.refuse(w, countRevocations, badRequest("invalid_request", "Missing required parameter: token"))
		return
	}
	if err := s.ledger.Revoke(form.Get("token")); err != nil {
		s.refuse(w, countRevocations, badRequest("invalid_token", err.Error()))
		return
	}
	s.tally.Add(countRevocations, "done")
	sendOAuth(w, http.StatusOK, struct{}{})
}
