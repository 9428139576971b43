package connection_test

import (
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
)

// TestUnmark checks that marks are undone for what was selected, with a line of the trail
// and an event for each, and that nothing else is.
func TestUnmark(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		s := directorytest.On(t, db.URL)
		w := subscribe(t, s)
		c := s.WithPage(time.Hour)
		_, err := connection.Use(t.Context(), s.Connections, c, (&reads{errs: []error{refused("A")}}).read)
		wantCode(t, err, provider.CodeReconnect.Name)
		other := s.Connect(connection.Connection{CompanyID: s.AddCompany("b").ID, Pair: profilePair, AccessToken: "t"})
		listed := func(state connection.State) (companies []int64) {
			for _, l := range must(s.Connections.List(t.Context(), connection.Query{State: state}))(t) {
				companies = append(companies, l.CompanyID)
			}
			return companies
		}
		requireEqual(t, "to be connected again", []int64{c.CompanyID}, listed(connection.StateReconnect))
		requireEqual(t, "working", []int64{other.CompanyID}, listed(connection.StateOK))
		for _, step := range []struct {
			query connection.Query
			want  int
		}{
			{connection.Query{Provider: provider.Search}, 0},
			{connection.Query{CompanyID: other.CompanyID}, 0},
			{connection.Query{Provider: provider.Social, MarkedSince: s.Now.Add(time.Second)}, 0},
			{connection.Query{Provider: provider.Social, MarkedSince: s.Now}, 1},
			{connection.Query{Provider: provider.Social}, 0},
		} {
			if n, err := s.Connections.Unmark(t.Context(), trail.Entry{Actor: "command line"},
				step.query); n != step.want || err != nil {
				t.Errorf("%+v: %d unmarked, %v, want %d", step.query, n, err, step.want)
			}
		}
		if now := s.Stored(c.Pair); now.NeedsUser() || now.AccessToken != c.AccessToken {
			t.Errorf("stored %+v", now)
		}
		if events := published(t, s, w); len(events) != 2 {
			t.Errorf("published %q", events)
		}
		s.WantTrail("webhook add", "reconnect_required", "connection unmark")
	})
}

// TestUnmarkAMissingPermission checks that a permission is read again after it was missing.
func TestUnmarkAMissingPermission(t *testing.T) {
	s := directorytest.New(t)
	c := s.WithPage(time.Hour)
	s.Change(c.Pair, func(c *connection.Connection) { c.Denied = []provider.Service{provider.SocialPages} })
	n, err := s.Connections.Unmark(t.Context(), trail.Entry{Actor: "command line"},
		connection.Query{State: connection.StatePermission})
	if now := s.Stored(c.Pair); n != 1 || err != nil || now.NeedsUser() {
		t.Errorf("%d unmarked, %v, stored %+v", n, err, now)
	}
	s.WantTrail("connection unmark")
}
