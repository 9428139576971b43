package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/storetest"
)

// TestCompanyExport: one JSON object with a list for each section, which the README
// names.
func TestCompanyExport(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	storetest.EachBare(t, func(t *testing.T, db storetest.Database) {
		e := newErasing(t, db)
		out := e.run(t, "company", "export", "marker-company-slug")
		var document map[string][]map[string]any
		if err := json.Unmarshal([]byte(out), &document); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if len(document) != len(erasure.Sections()) {
			t.Errorf("%d sections", len(document))
		}
		for _, section := range erasure.Sections() {
			if document[section] == nil || !strings.Contains(string(readme), "`"+section+"`") {
				t.Errorf("no section %s, or not in the README", section)
			}
		}
		if len(document["users"]) != 2 || document["users"][0]["role"] != "MEMBER" || len(document["webhooks"]) != 0 ||
			document["company"][0]["name"] != "Marker-Company" || document["connections"][0]["is_active"] != true {
			t.Errorf("exported %s", out)
		}
		data, ok := document["profile"][0]["data"].(map[string]any)
		if !ok || data["description"] != "marker-caption" {
			t.Errorf("profile %v", document["profile"])
		}
		for _, secret := range []string{"marker-access", "refresh", "argon2", "test:"} {
			if strings.Contains(out, secret) {
				t.Errorf("%s is exported", secret)
			}
		}
		p := newProgram(e.settings, strings.NewReader(""), t.Output(), &e.log)
		if err := p.Run(t.Context(), []string{"company", "export", "nowa"}); err == nil || !strings.Contains(err.Error(), "there is no such company") {
			t.Errorf("another company: %v", err)
		}
	})
}
