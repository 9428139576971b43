package directory_test

import (
	"errors"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// withLocation is a service whose company has chosen a location, and scan scans it a day later.
func withLocation(t *testing.T) (s *directorytest.Service, scan func() directory.ScanResult) {
	s = directorytest.New(t)
	s.Connect(directory.Connection{
		Pair: profilePair, AccessToken: "access-1", RefreshToken: "refresh-1", Chosen: directory.ChosenLocation, AccountID: "locations/1",
	})
	return s, func() directory.ScanResult {
		s.Now = s.Now.Add(24 * time.Hour)
		result, err := s.Scan.Run(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
}

// auditsOf are the company's audits, newest first.
func auditsOf(s *directorytest.Service) []directory.Audit {
	s.T.Helper()
	audits, err := s.Store.AuditHistory(s.T.Context(), s.Company.ID, 0, 99)
	if err != nil {
		s.T.Fatal(err)
	}
	return audits
}

func TestWeeklyAudit(t *testing.T) {
	s, scan := withLocation(t)
	for day := range 15 {
		if result, want := scan(), map[bool]int{true: 1}[day%7 == 0]; result.Synced != want || result.Failed != 0 {
			t.Errorf("day %d: %+v, want %d audits", day, result, want)
		}
	}
	audits := auditsOf(s)
	if len(audits) != 3 || audits[0].TriggeredBy != nil || audits[0].Source != directory.FromBusinessProfile || !audits[0].At.Equal(s.Now) {
		t.Errorf("audits %+v", audits)
	}
	if state, err := s.Audits.Left(t.Context(), anna(s)); err != nil || state.Left != 20 || len(s.Ended) > 0 {
		t.Errorf("%+v, %v, %d audits of users", state, err, len(s.Ended))
	}
}

// TestWeeklyAuditAfterAUsers: whoever audits begins the week anew.
func TestWeeklyAuditAfterAUsers(t *testing.T) {
	s, scan := withLocation(t)
	if _, _, _, err := s.Audits.Trigger(t.Context(), anna(s), directory.AuditRequest{Company: directory.CompanyRef{ID: &s.Company.ID}, Save: true}); err != nil {
		t.Fatal(err)
	}
	for day := 1; day <= 6; day++ {
		scan()
	}
	if n := len(auditsOf(s)); n != 1 {
		t.Errorf("%d audits within the week", n)
	}
	if scan(); len(auditsOf(s)) != 2 {
		t.Error("no audit after the week")
	}
}

func TestNoWeeklyAudit(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*directorytest.Service)
		want   directory.ScanResult
	}{
		"location not readable": {func(s *directorytest.Service) { s.Search.Fail["ReadLocation"] = provider.Temporary(nil) }, directory.ScanResult{Failed: 1}},
		"told to wait": {
			func(s *directorytest.Service) { s.Search.Fail["ReadLocation"] = provider.Throttled(nil, 0) }, directory.ScanResult{Failed: 1, Left: 1},
		},
		"no location": {func(s *directorytest.Service) {
			s.Change(profilePair, func(c *directory.Connection) { c.Chosen, c.AccountID = directory.ChosenNothing, "accounts/9" })
		}, directory.ScanResult{}},
		"profile not kept": {func(s *directorytest.Service) { s.Store.Fail["SaveProfile"] = errors.New("disk is full") }, directory.ScanResult{Failed: 1}},
		"company is gone":  {func(s *directorytest.Service) { s.Store.Fail["Company"] = directory.CodeCompanyNotFound.Fault() }, directory.ScanResult{}},
	} {
		s, scan := withLocation(t)
		test.change(s)
		test.want.Ran, test.want.Connections = true, 1
		if result := scan(); result != test.want {
			t.Errorf("%s: %+v, want %+v", name, result, test.want)
		}
		if _, err := s.Store.LatestAudit(t.Context(), s.Company.ID); !fault.Is(err, directory.CodeNoAudit.Name) {
			t.Errorf("%s: an audit, %v", name, err)
		}
	}
}
