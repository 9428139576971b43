package directory_test

import (
	"os"
	"testing"

	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/internal/kit/fault"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

var (
	profilePair   = directorytest.ProfilePair
	analyticsPair = directorytest.AnalyticsPair
	pagesPair     = directorytest.PagesPair
	photosPair    = directorytest.PhotosPair
)

// anna is a member of the company.
func anna(s *directorytest.Service) directory.Actor { return directorytest.Actor(s.Anna) }

// annaOf is anna as a member of another company; 0 is none.
func annaOf(s *directorytest.Service, companyID int64) directory.Actor {
	actor := anna(s)
	actor.User.CompanyID = nil
	if companyID != 0 {
		actor.User.CompanyID = &companyID
	}
	return actor
}

// ewa is another user of the company.
func ewa(s *directorytest.Service) directory.Actor {
	return directorytest.Actor(s.AddUser("ewa", directory.Member, &s.Company))
}

func wantFault(t *testing.T, err error, kind fault.Kind, code string) {
	t.Helper()
	f := fault.From(err)
	if f == nil || f.Code != string(code) || f.Kind != kind {
		t.Errorf("err = %v, want %s of kind %d", err, code, kind)
		return
	}
	if f.Message == "" {
		t.Errorf("%s has no text for the user", code)
	}
}
