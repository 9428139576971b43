package main

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/storetest"
)

func TestCompanies(t *testing.T) {
	settings := withFile(t, environ(t))
	require(t, settings, "migrate", "up")
	if out := require(t, settings, "company", "list"); out != "ID  SLUG  NAME  STATUS\n" {
		t.Errorf("without companies: %q", out)
	}
	if out := require(t, settings, "company", "list", "--json"); out != "[]\n" {
		t.Errorf("without companies: %q", out)
	}
	out := require(t, settings, "company", "add", " Zakład Żółty ", "--slug", "zaklad-zolty", "--address", "ul. Długa 1, 00-001 Warszawa",
		"--phone", "+48 22 123 45 67", "--website", "https://zolty.example", "--hours", "pon. 8-16\nwt. 8-16", "--description", "Opis, z przecinkiem",
		"--category", "Malarz", "--category", "Tynkarz", "--service", "Malowanie", "--logo-url", "https://zolty.example/l.png",
		"--cover-photo-url", "https://zolty.example/c.png", "--place-id", "place-1")
	if out != "company 1 zaklad-zolty added\n" {
		t.Errorf("printed %q", out)
	}
	require(t, settings, "company", "add", "Dawny", "--slug", "dawny", "--status", "Archived")
	want := "ID  SLUG          NAME          STATUS\n" +
		" 1  zaklad-zolty  Zakład Żółty  active\n" +
		" 2  dawny         Dawny         archived\n"
	if out := require(t, settings, "company", "list"); out != want {
		t.Errorf("listed\n%swant\n%s", out, want)
	}
	const document = `[{"id":1,"slug":"zaklad-zolty","name":"Zakład Żółty","status":"active"},{"id":2,"slug":"dawny","name":"Dawny","status":"archived"}]` + "\n"
	if out := require(t, settings, "company", "list", "--json"); out != document {
		t.Errorf("listed %s", out)
	}
	requireCompany(t, settings, company.Company{
		ID: 1, Name: "Zakład Żółty", Slug: "zaklad-zolty", Status: "active", Address: "ul. Długa 1, 00-001 Warszawa",
		Phone: "+48 22 123 45 67", Website: "https://zolty.example", Hours: "pon. 8-16\nwt. 8-16", Description: "Opis, z przecinkiem",
		Categories: []string{"Malarz", "Tynkarz"}, Services: []string{"Malowanie"}, LogoURL: "https://zolty.example/l.png",
		CoverPhotoURL: "https://zolty.example/c.png", PlaceID: "place-1",
	})
}

func requireCompany(t *testing.T, settings []string, want company.Company) {
	t.Helper()
	inStore(t, settings, func(ctx context.Context, s *storetest.Store) error {
		got, err := s.Company(ctx, want.ID)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(want, "CreatedAt", "UpdatedAt")); diff != "" {
			t.Errorf("company (-want +got):\n%s", diff)
		}
		return err
	})
}

func TestCompaniesRefused(t *testing.T) {
	settings := withFile(t, environ(t))
	require(t, settings, "company", "add", "Firma", "--slug", "firma")
	before := require(t, settings, "company", "list")
	const form = "a-z, 0-9 and single hyphens, at most 100, and neither health nor history"
	tests := []struct {
		args []string
		want string
	}{
		{[]string{"Firma", "--slug", "firma"}, `company "firma": taken already`},
		{[]string{"Firma"}, `--slug "": ` + form},
		{[]string{"Firma", "--slug", "health"}, `--slug "health": ` + form},
		{[]string{"Firma", "--slug", "history"}, `--slug "history": ` + form},
		{[]string{"Firma", "--slug", "Firma"}, `--slug "Firma": ` + form},
		{[]string{"Firma", "--slug", "firma--2"}, `--slug "firma--2": ` + form},
		{[]string{"  ", "--slug", "firma-2"}, "a company needs a name"},
		{[]string{"Firma", "--slug", "firma-2", "--status", "closed"}, `--status "closed": want one of active, archived`},
		{[]string{"Firma\x00", "--slug", "firma-2"}, `company "firma-2": not a text that a database can keep`},
	}
	for _, test := range tests {
		out, err := command(t, settings, append([]string{"company", "add"}, test.args...)...)
		refused(t, test.args, out, err, test.want)
	}
	if after := require(t, settings, "company", "list"); after != before {
		t.Errorf("companies are now\n%s", after)
	}
}
