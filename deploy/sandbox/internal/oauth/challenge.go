package oauth

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
)

// challengeLength is that of 32 bytes in base64url without padding.
const challengeLength = 43

// The limits of a verifier's length (RFC 7636, section 4.1).
const (
	minVerifier = 43
	maxVerifier = 128
)

// Challenge is the S256 challenge of an authorization (RFC 7636); empty when it had
// none.
type Challenge string

// ParseChallenge checks the two parameters of an authorization request. Both empty is no
// challenge. The method plain, which protects nobody, is refused.
func ParseChallenge(challenge, method string) (Challenge, error) {
	if challenge == "" && method == "" {
		return "", nil
	}
	if method != "S256" {
		return "", errors.New("code_challenge_method is not S256")
	}
	if raw, err := base64.RawURLEncoding.Strict().DecodeString(challenge); err != nil || len(raw) != sha256.Size {
		return "", errors.New("code_challenge is not a SHA-256 sum in base64url")
	}
	return Challenge(challenge), nil
}

// Answers reports whether verifier is of the right form and answers the challenge.
func (c Challenge) Answers(verifier string) bool {
	if len(c) != challengeLength || len(verifier) < minVerifier || len(verifier) > maxVerifier {
		return false
	}
	sum := sha256.Sum256([]byte(verifier))
	answer := base64.RawURLEncoding.EncodeToString(sum[:])
	return subtle.ConstantTimeCompare([]byte(answer), []byte(c)) == 1
}
