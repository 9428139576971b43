//go:build !race

package scan_test

import (
	"fmt"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
)

// TestWeeklyAuditsAreSpread scans companies each day that were all connected on one day:
// each is audited once in each of its weeks, and not all on the same day.
func TestWeeklyAuditsAreSpread(t *testing.T) {
	s := directorytest.New(t)
	const companies, days = 14, 15
	for i := range companies {
		s.Connect(connection.Connection{
			CompanyID: s.AddCompany(fmt.Sprint("firma-", i)).ID, Pair: profilePair, AccessToken: "access-1",
			RefreshToken: "refresh-1",
			Chosen:       connection.ChosenLocation, AccountID: "locations/1",
		})
	}
	most, all := 0, 0
	for day := range days {
		got, err := s.Scan.Run(t.Context(), nil)
		if err != nil || got.Failed > 0 {
			t.Fatalf("%+v, %v", got, err)
		}
		if day > 0 {
			audits := got.Synced - companies // the figures of each location are read every day
			most, all = max(most, audits), all+audits
		}
		s.Now = s.Now.Add(24 * time.Hour)
	}
	if all != companies*(days-1)/7 || most > companies/2 {
		t.Errorf("%d audits after the first day, at most %d on one day", all, most)
	}
}
