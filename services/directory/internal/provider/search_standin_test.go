package provider_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"net/url"
	"slices"
)

const (
	scopeProfile    = "https://www.googleapis.com/auth/business.manage"
	scopeWebmasters = "https://www.googleapis.com/auth/webmasters.readonly"
	scopeAnalytics  = "https://www.googleapis.com/auth/analytics.readonly"
)

// token plays the token endpoint: client and parameters have to be right, and
// nothing more may be sent.
func (s *googleServer) token(c googleCall) googleReply {
	f := c.Form
	if c.Token != "" || f.Get("client_id") != googleClientID || f.Get("client_secret") != googleClientSecret {
		return googleReply{status: 401, body: `{"error":"invalid_client"}`}
	}
	switch f.Get("grant_type") {
	case "authorization_code":
		s.wantParameters(f, "client_id", "client_secret", "code", "code_verifier", "grant_type", "redirect_uri")
		if f.Get("code") != googleCode || f.Get("code_verifier") != googleVerifier {
			return s.invalidGrant(c)
		}
		if f.Get("redirect_uri") != googleRedirect {
			return googleReply{status: 400, body: `{"error":"redirect_uri_mismatch"}`}
		}
		return tokenReply(googleRefresh, "openid "+scopeProfile)
	case "refresh_token":
		s.wantParameters(f, "client_id", "client_secret", "grant_type", "refresh_token")
		if f.Get("refresh_token") != googleRefresh {
			return s.invalidGrant(c)
		}
		return tokenReply("", "openid "+scopeProfile)
	}
	return googleReply{status: 400, body: `{"error":"unsupported_grant_type"}`}
}

func (s *googleServer) wantParameters(f url.Values, names ...string) {
	if sent := slices.Sorted(maps.Keys(f)); !slices.Equal(sent, names) {
		s.t.Errorf("token parameters = %v, want %v", sent, names)
	}
}

// invalidGrant quotes what was sent, to see that nobody passes it on.
func (s *googleServer) invalidGrant(c googleCall) googleReply {
	return googleReply{status: 400, body: fmt.Sprintf(`{"error":"invalid_grant","error_description":"Bad Request: %s %s"}`,
		c.Form.Get("code"), c.Form.Get("refresh_token"))}
}

func tokenReply(refresh, scope string) googleReply {
	body := fmt.Sprintf(`{"access_token":%q,"expires_in":3599,"token_type":"Bearer"`, googleAccess)
	if refresh != "" {
		body += fmt.Sprintf(`,"refresh_token":%q`, refresh)
	}
	if scope != "" {
		body += fmt.Sprintf(`,"scope":%q`, scope)
	}
	return googleReply{status: 200, body: body + fmt.Sprintf(`,"id_token":%q}`, idToken(`{"sub":"`+googleSubject+`","aud":"`+googleClientID+`"}`))}
}

func idToken(claims string) string {
	encode := base64.RawURLEncoding.EncodeToString
	return encode([]byte(`{"alg":"RS256"}`)) + "." + encode([]byte(claims)) + ".signature"
}

// revoke plays the revocation endpoint, which wants the token in a form.
func (s *googleServer) revoke(c googleCall) googleReply {
	s.wantParameters(c.Form, "token")
	if token := c.Form.Get("token"); token != googleRefresh && token != googleAccess {
		return googleReply{status: 400, body: `{"error":"invalid_token","error_description":"Token expired or revoked"}`}
	}
	return googleReply{status: 200, body: "{}"}
}
