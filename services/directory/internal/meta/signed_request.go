package meta

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"backend.example/services/directory/internal/provider"
)

// ReadRequest reads a signed_request of the deauthorize and the data deletion callback:
// a signature, a dot and a payload, both base64url. The payload is signed as it was sent
// (https://developers.facebook.com/docs/development/create-an-app/app-dashboard/data-deletion-callback).
// Anything else is the fault invalid_request.
func (s *Client) ReadRequest(signed string) (request provider.PersonRequest, err error) {
	signature, payload, _ := strings.Cut(signed, ".")
	sum := s.graph.mac(payload)
	given, err := decodeURL(signature)
	if err != nil || !hmac.Equal(given, sum) {
		return request, provider.CodeInvalidRequest.Wrap(errors.New("wrong signature"))
	}
	text, err := decodeURL(payload)
	if err != nil {
		return request, provider.CodeInvalidRequest.Wrap(errors.New("payload is not base64url"))
	}
	var body struct {
		Algorithm string `json:"algorithm"`
		UserID    string `json:"user_id"`   // of the person, as this app knows them
		IssuedAt  int64  `json:"issued_at"` // Unix seconds
	}
	err = json.Unmarshal(text, &body)
	if err != nil || body.Algorithm != "HMAC-SHA256" || !graphID.MatchString(body.UserID) || body.IssuedAt <= 0 {
		return request, provider.CodeInvalidRequest.Wrap(errors.New("payload is not as documented"))
	}
	digest := sha256.Sum256(sum)
	return provider.PersonRequest{
		PersonID: body.UserID, IssuedAt: time.Unix(body.IssuedAt, 0).UTC(), Digest: hex.EncodeToString(digest[:16]),
	}, nil
}

// decodeURL reads base64url with or without padding.
func decodeURL(text string) ([]byte, error) {
	return base64.RawURLEncoding.DecodeString(strings.TrimRight(text, "="))
}
