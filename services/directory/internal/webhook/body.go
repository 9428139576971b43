package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"backend.example/services/directory/internal/directory"
)

// body is what a receiver reads.
type body struct {
	Type      directory.EventType `json:"type"`
	Timestamp time.Time           `json:"timestamp"`
	Data      any                 `json:"data"`
}

type connectionData struct {
	CompanyID int64              `json:"company_id"`
	Provider  directory.Provider `json:"provider"`
	Service   directory.Service  `json:"service"`
	Reason    *string            `json:"reason"` // null: it works again
}

type auditData struct {
	CompanyID int64   `json:"company_id"`
	AuditID   int64   `json:"audit_id"`
	Score     float64 `json:"completeness_score"`
	Category  string  `json:"score_category"`
	Coverage  float64 `json:"coverage"`
	Source    string  `json:"audit_source"`
	Version   string  `json:"audit_version"`
}

type testData struct {
	CompanyID *int64 `json:"company_id"` // null: the webhook hears of every company
}

// encode is the body for an event.
func encode(e directory.Event) ([]byte, error) {
	b := body{Type: e.Type, Timestamp: e.At}
	switch {
	case e.Audit != nil:
		b.Data = auditData{
			CompanyID: e.CompanyID, AuditID: e.Audit.ID, Score: e.Audit.Score, Category: e.Audit.Category,
			Coverage: e.Audit.Coverage, Source: e.Audit.Source, Version: e.Audit.Version,
		}
	case e.Type == directory.EventTest:
		b.Data = testData{CompanyID: optional(e.CompanyID)}
	default:
		b.Data = connectionData{CompanyID: e.CompanyID, Provider: e.Pair.Provider, Service: e.Pair.Service, Reason: optional(e.Reason)}
	}
	return json.Marshal(b)
}

// optional is nil for the zero value.
func optional[T comparable](v T) *T {
	if v == *new(T) {
		return nil
	}
	return &v
}

// sign makes the header webhook-signature: a signature by each secret, so that a
// receiver that has only one of them can verify it.
func sign(secrets []string, id string, at time.Time, content []byte) (string, error) {
	var signatures []string
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, directory.WebhookSecretPrefix))
		if err != nil {
			return "", errors.New("webhook: the secret is not base64")
		}
		mac := hmac.New(sha256.New, key)
		_, _ = mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		_, _ = mac.Write(content)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(signatures, " "), nil
}
