package company_test

import (
	"strings"
	"testing"

	"backend.example/services/directory/internal/company"
	"backend.example/services/internal/kit/fault"
)

func TestCheckSlug(t *testing.T) {
	for _, slug := range []string{"a", "7", "piekarnia-kowalski", "health-food", "historyk", "a-1-b", strings.Repeat("a", 100)} {
		if err := company.CheckSlug(slug); err != nil {
			t.Errorf("CheckSlug(%q) = %v", slug, err)
		}
	}
	for _, slug := range []string{
		"health", "history", // words of the address
		"", "-a", "a-", "a--b", "Piekarnia", "żuk", "a b", "a/b", "a.b", "a_b", "a\n", "..", strings.Repeat("a", 101),
	} {
		if err := company.CheckSlug(slug); !fault.Is(err, company.CodeInvalidSlug) {
			t.Errorf("CheckSlug(%q) = %v", slug, err)
		}
	}
}
