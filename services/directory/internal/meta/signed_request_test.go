package meta_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/meta"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// signedWith signs a payload as the provider does, apart from the client (RFC 2104).
func signedWith(secret, payload string, encoding *base64.Encoding) string {
	encoded := encoding.EncodeToString([]byte(payload))
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(encoded))
	return encoding.EncodeToString(mac.Sum(nil)) + "." + encoded
}

func TestSignedRequest(t *testing.T) {
	const payload = `{"algorithm":"HMAC-SHA256","issued_at":1763719200,"user_id":"1022000000100001","expires":0}`
	social := newSocial(nil)
	digests := map[string]bool{}
	for name, encoding := range map[string]*base64.Encoding{"without padding": base64.RawURLEncoding, "with padding": base64.URLEncoding} {
		got, err := social.ReadRequest(signedWith(clientSecret, payload, encoding))
		if err != nil || got.PersonID != annaID || !got.IssuedAt.Equal(time.Date(2025, 11, 21, 10, 0, 0, 0, time.UTC)) || len(got.Digest) != 32 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		digests[got.Digest] = true
	}
	later, err := social.ReadRequest(signedWith(clientSecret, strings.Replace(payload, "1763719200", "1763719201", 1), base64.RawURLEncoding))
	if err != nil || digests[later.Digest] {
		t.Errorf("another request: %+v, %v", later, err)
	}
}

func TestSignedRequestRefused(t *testing.T) {
	const good = `{"algorithm":"HMAC-SHA256","issued_at":1763719200,"user_id":"1"}`
	raw := base64.RawURLEncoding
	signed := signedWith(clientSecret, good, raw)
	signature, payload, _ := strings.Cut(signed, ".")
	for name, text := range map[string]string{
		"nothing":              "",
		"a dot":                ".",
		"no payload":           signature,
		"no signature":         "." + payload,
		"signature cut":        signature[:len(signature)-4] + "." + payload,
		"another payload":      signature + "." + raw.EncodeToString([]byte(strings.Replace(good, `"1"`, `"2"`, 1))),
		"another secret":       signedWith("other", good, raw),
		"no secret":            signedWith("", good, raw),
		"signed when decoded":  decodedSignature(good) + "." + payload,
		"another algorithm":    signedWith(clientSecret, strings.Replace(good, "HMAC-SHA256", "none", 1), raw),
		"no algorithm":         signedWith(clientSecret, `{"issued_at":1763719200,"user_id":"1"}`, raw),
		"no user":              signedWith(clientSecret, `{"algorithm":"HMAC-SHA256","issued_at":1763719200}`, raw),
		"user with a path":     signedWith(clientSecret, `{"algorithm":"HMAC-SHA256","issued_at":1763719200,"user_id":"../me"}`, raw),
		"no time":              signedWith(clientSecret, `{"algorithm":"HMAC-SHA256","user_id":"1"}`, raw),
		"time before all time": signedWith(clientSecret, `{"algorithm":"HMAC-SHA256","issued_at":-1,"user_id":"1"}`, raw),
		"not JSON":             signedWith(clientSecret, "x", raw),
		"a third part":         signed + "." + payload,
	} {
		if got, err := newSocial(nil).ReadRequest(text); !fault.Is(err, provider.CodeInvalidRequest.Name) || got != (provider.PersonRequest{}) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

// decodedSignature signs what the payload means, which a careless client would accept.
func decodedSignature(payload string) string {
	mac := hmac.New(sha256.New, []byte(clientSecret))
	mac.Write([]byte(payload))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// FuzzSignedRequest: nothing that is not signed is believed, and nothing panics.
func FuzzSignedRequest(f *testing.F) {
	f.Add("a.b")
	f.Add(signedWith("other", `{"algorithm":"HMAC-SHA256","issued_at":1,"user_id":"1"}`, base64.URLEncoding))
	social := meta.New(meta.Options{ClientSecret: clientSecret})
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := social.ReadRequest(text); err == nil {
			t.Errorf("believed %+v", got)
		}
	})
}
