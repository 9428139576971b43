package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	kitcli "backend.example/services/internal/kit/cli"
)

func TestAuditCommand(t *testing.T) {
	onEach(t, func(t *testing.T, settings []string) {
		require(t, settings, "seed")
		out := require(t, settings, "audit", "piekarnia-kowalski")
		for _, want := range []string{
			"Piekarnia Kowalski: 69.3 of 100, needs_work (2", ", company_record, rules 1.0, ",
			"FIELD        STATUS    POINTS  OF  PRIORITY  WHAT TO DO\nname         complete      10  10  -\n",
		} {
			if !strings.Contains(out, want) {
				t.Errorf("printed\n%swant %q", out, want)
			}
		}
		if last := require(t, settings, "audit", "piekarnia-kowalski", "--last"); last != out {
			t.Errorf("the last one is\n%swant\n%s", last, out)
		}
		var answer struct {
			CompanySlug string `json:"company_slug"`
			Audit       struct {
				ID    int64   `json:"id"`
				Score float64 `json:"completeness_score"`
			} `json:"audit"`
		}
		document := require(t, settings, "audit", "piekarnia-kowalski", "--refresh", "--json")
		if err := json.Unmarshal([]byte(document), &answer); err != nil || answer.CompanySlug != "piekarnia-kowalski" || answer.Audit.ID != 2 || answer.Audit.Score != 69.3 {
			t.Errorf("%v, printed %s", err, document)
		}
		trail := require(t, settings, "trail", "--company", "piekarnia-kowalski")
		if strings.Count(trail, "69.3, needs_work\n") != 2 || strings.Count(trail, ")  audit   ") != 2 {
			t.Errorf("trail\n%s", trail)
		}
	})
}

// TestAuditCommandHasTheLimitOfTheAPI: twenty in an hour.
func TestAuditCommandHasTheLimitOfTheAPI(t *testing.T) {
	settings := withFile(t, environ(t))
	require(t, settings, "seed")
	for range 20 {
		require(t, settings, "audit", "warsztat-nowak")
	}
	out, err := command(t, settings, "audit", "piekarnia-kowalski")
	refused(t, "audit", out, err, `company "piekarnia-kowalski": no more audits in this hour; try again in `)
	if status := kitcli.Status(err); status != kitcli.StatusFailed || strings.HasSuffix(fmt.Sprint(err), " 0s") {
		t.Errorf("status %d, %v", status, err)
	}
	require(t, settings, "audit", "warsztat-nowak", "--last")
}
