package database

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"backend.example/services/internal/kit/fault"
)

const keySize = 32 // AES-256

// Keyring encrypts secrets with its first key and decrypts what any of its keys encrypted: AES-256-GCM
// with a random nonce (NIST SP 800-38D, section 8.2.2), bound to the place of the secret.
type Keyring struct {
	first string
	keys  map[string]cipher.AEAD
}

var keyID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,32}$`)

// ParseKeys reads "id:base64,id:base64…", keys of 32 bytes, with white space around entries. Errors
// name a key by its position and show nothing of it.
func ParseKeys(list string) (*Keyring, error) {
	ring := &Keyring{keys: map[string]cipher.AEAD{}}
	for i, entry := range strings.Split(list, ",") {
		id, aead, err := parseKey(strings.TrimSpace(entry))
		if err != nil {
			return nil, fmt.Errorf("encryption key %d: %w", i+1, err)
		}
		if _, double := ring.keys[id]; double {
			return nil, fmt.Errorf("encryption key %d: its identifier stands twice", i+1)
		}
		if i == 0 {
			ring.first = id
		}
		ring.keys[id] = aead
	}
	return ring, nil
}

func parseKey(entry string) (id string, aead cipher.AEAD, err error) {
	id, encoded, ok := strings.Cut(entry, ":")
	if !ok || !keyID.MatchString(id) {
		return "", nil, errors.New("want <identifier>:<32 bytes in base64>")
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(key) != keySize {
		return "", nil, errors.New("want 32 bytes in base64 after the identifier")
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return "", nil, err
	}
	aead, err = cipher.NewGCMWithRandomNonce(block)
	return id, aead, err
}

// GenerateKey makes an entry for ParseKeys with a new key and a new identifier.
func GenerateKey() string {
	key := make([]byte, keySize)
	_, _ = rand.Read(key) // never fails
	return "k" + strings.ToLower(rand.Text()[:8]) + ":" + base64.StdEncoding.EncodeToString(key)
}

// Place is where a secret belongs: table, column and row, as a list of quoted texts.
type Place string

// PlaceOf returns the place of a secret in the row with values that never change and are known before
// it is written.
func PlaceOf(table, column string, row ...any) Place {
	parts := []string{table, column}
	for _, value := range row {
		switch v := value.(type) {
		case []byte:
			value = base64.RawURLEncoding.EncodeToString(v)
		case *int64:
			if value = nil; v != nil {
				value = *v
			}
		}
		parts = append(parts, fmt.Sprint(value))
	}
	return Place(fmt.Sprintf("%q", parts))
}

// Seal encrypts a secret for its place. The empty text stays empty, so that a query can
// find it.
func (db *DB) Seal(secret string, p Place) string { return db.keys.seal(secret, p) }

// Unseal decrypts what Seal returned for the same place. The fault is secret_unreadable.
func (db *DB) Unseal(sealed string, p Place) (string, error) { return db.keys.open(sealed, p) }

func (k *Keyring) seal(secret string, p Place) string {
	if secret == "" {
		return ""
	}
	// #nosec G407 -- the AEAD draws the nonce
	sealed := k.keys[k.first].Seal(nil, nil, []byte(secret), []byte(p))
	return k.first + ":" + base64.RawStdEncoding.EncodeToString(sealed)
}

func (k *Keyring) open(sealed string, p Place) (string, error) {
	if sealed == "" {
		return "", nil
	}
	id, encoded, _ := strings.Cut(sealed, ":")
	aead, ok := k.keys[id]
	if !ok {
		return "", unreadable(p, errors.New("encrypted with a key that is not configured"))
	}
	data, err := base64.RawStdEncoding.Strict().DecodeString(encoded)
	if err != nil {
		return "", unreadable(p, errors.New("not base64"))
	}
	secret, err := aead.Open(nil, nil, data, []byte(p))
	if err != nil {
		return "", unreadable(p, fmt.Errorf("another key of that identifier, or a row that was tampered with: %w", err))
	}
	return string(secret), nil
}

// renew encrypts with the first key what another one encrypted.
func (k *Keyring) renew(sealed string, p Place) (renewed string, changed bool, err error) {
	if id, _, _ := strings.Cut(sealed, ":"); sealed == "" || id == k.first {
		return sealed, false, nil
	}
	secret, err := k.open(sealed, p)
	if err != nil {
		return "", false, err
	}
	return k.seal(secret, p), true, nil
}

func unreadable(p Place, err error) error {
	return fault.Wrap(fmt.Errorf("%s: %w", p, err), fault.Internal, "secret_unreadable",
		"Wystąpił nieoczekiwany błąd. Spróbuj ponownie później.")
}
