package connection_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/incident"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// TestRefusalsOfFivePeople checks which refusals make an incident and of what, that the marks
// of the four people before are undone, with a line of the trail, and that the first success
// ends it.
func TestRefusalsOfFivePeople(t *testing.T) {
	type call = func(s *directorytest.Service, c connection.Connection, err error) error
	read := func(s *directorytest.Service, c connection.Connection, err error) error {
		return databasetest.ErrorOf(
			connection.Use(t.Context(), s.Connections, c, func(context.Context, string, string) (string, error) {
				return "", err
			}),
		)
	}
	beside := func(s *directorytest.Service, c connection.Connection, err error) error {
		return databasetest.ErrorOf(
			connection.UseBeside(t.Context(), s.Connections, c, func(context.Context, string, string) (string, error) {
				return "", err
			}),
		)
	}
	renewal := func(s *directorytest.Service, c connection.Connection, err error) error {
		s.Search.Fail["Refresh"] = err
		return databasetest.ErrorOf(fresh(s, t.Context(), c))
	}
	photos := func(s *directorytest.Service, c connection.Connection, err error) error {
		return s.Connections.NoteDenial(t.Context(), c, provider.SocialPhotos, err)
	}
	location := connection.Connection{Pair: profilePair, AccessToken: "access-1"}
	expired := connection.Connection{Pair: profilePair, AccessToken: "access-1", RefreshToken: "refresh-1",
		ExpiresAt: directorytest.After(-time.Hour)}
	page := connection.Connection{Pair: pagesPair, AccessToken: "page-1", Chosen: connection.ChosenPage,
		UserAccessToken: "user-1"}
	app, broken := provider.NotSetUp(errors.New("403")), errors.New("?")
	for name, tt := range map[string]struct {
		c     connection.Connection
		call  call
		fails error
		want  incident.Subject // of the incident; zero if there is none
		marks bool             // of the people before the incident, or of all
	}{
		"token": {
			location, read, refused("A"), incident.Subject{Provider: provider.Search, Service: provider.SearchProfile,
				Kind: incident.Token}, true,
		},
		"token, further API": {
			location, beside, refused("A"), incident.Subject{Provider: provider.Search, Service: provider.SearchProfile,
				Kind: incident.Token}, true,
		},
		"renewal": {
			expired, renewal, refused("A"), incident.Subject{Provider: provider.Search, Kind: incident.Renewal}, true,
		},
		"permission": {
			page, photos, provider.Denied(broken),
			incident.Subject{Provider: provider.Social, Service: provider.SocialPhotos, Kind: incident.Permission},
			true,
		},
		"app": {
			location, read, app, incident.Subject{Provider: provider.Search, Service: provider.SearchProfile,
				Kind: incident.App}, false,
		},
		"app, at a renewal": {
			expired, renewal, app, incident.Subject{Provider: provider.Search, Kind: incident.App}, false,
		},
		"app, further API":        {location, beside, app, incident.Subject{}, false},
		"temporary":               {location, read, provider.Temporary(broken), incident.Subject{}, false},
		"throttled":               {location, read, provider.Throttled(broken, time.Minute), incident.Subject{}, false},
		"denied while reading":    {location, read, provider.Denied(broken), incident.Subject{}, false},
		"temporary, further API":  {location, beside, provider.Temporary(broken), incident.Subject{}, false},
		"temporary, at a renewal": {expired, renewal, provider.Temporary(broken), incident.Subject{}, false},
		"denied at a renewal":     {expired, renewal, provider.Denied(broken), incident.Subject{}, false},
		"temporary, for photos":   {page, photos, provider.Temporary(broken), incident.Subject{}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := directorytest.New(t)
			s.Search.Renewal = provider.Token{AccessToken: "access-2", ExpiresAt: directorytest.After(time.Hour)}
			begins := tt.want != incident.Subject{}
			var connected []connection.Connection
			for i := range 5 {
				c := tt.c
				c.CompanyID = s.AddCompany(fmt.Sprint("firma-", i)).ID
				c.ProviderUserID = fmt.Sprint("person-", i)
				c.Scopes = []string{directorytest.Scope}
				connected = append(connected, must(s.Connections.Active(t.Context(), c.CompanyID, s.Connect(c).Pair))(
					t,
				))
				err := tt.call(s, connected[i], tt.fails)
				wide := begins && (i == 4 || !tt.marks)
				if fault.Is(err, provider.CodeOperator) != (wide || fault.Is(tt.fails, provider.CodeOperator)) ||
					!errors.Is(err, errors.Unwrap(tt.fails)) {
					t.Errorf("person %d: %v", i+1, err)
				}
				if now := s.StoredOf(c.CompanyID, c.Pair); now.NeedsUser() != (tt.marks && i < 4) {
					t.Errorf("person %d: marked %t", i+1, now.NeedsUser())
				}
			}
			incidents := incident.New(s.Store.DB, s.Clock, slog.New(slog.DiscardHandler))
			var subjects, want []incident.Subject
			for _, i := range must(incidents.List(t.Context()))(t) {
				subjects = append(subjects, i.Subject)
			}
			if begins {
				want = append(want, tt.want)
			}
			requireEqual(t, "incidents", want, subjects)
			for i, c := range connected {
				if now := s.StoredOf(c.CompanyID, c.Pair); now.NeedsUser() {
					t.Errorf("afterwards person %d is marked: %q %q", i+1, now.ReconnectReason, now.Denied)
				}
				lines := must(s.Store.Trail(t.Context(), trail.Search{CompanyID: c.CompanyID, Limit: 9}))(t)
				if !tt.marks || i == 4 {
					if len(lines) != 1 {
						t.Errorf("trail of person %d: %+v", i+1, lines)
					}
					continue
				}
				unmarked := trail.Entry{At: s.Now, CompanyID: c.CompanyID, Action: "unmark", Pair: c.Pair,
					Detail: "app-wide failure"}
				if len(lines) != 3 || !reflect.DeepEqual(lines[0], unmarked) ||
					lines[1].Action != "reconnect_required" {
					t.Errorf("trail of person %d: %+v", i+1, lines)
				}
			}
			suppressed := int64(0)
			if tt.marks {
				suppressed = 5
			}
			if got := s.Suppressed.Load(); got != suppressed {
				t.Errorf("%d marks suppressed, want %d", got, suppressed)
			}
			wantCode(t, tt.call(s, connected[4], nil), "")
			stays := name == "token, further API" // its success says nothing of the service
			if left := must(incidents.List(t.Context()))(t); (len(left) > 0) != stays {
				t.Errorf("after a success: %+v", left)
			}
			for _, failure := range []string{"not counted", "not unmarked"} {
				if strings.Contains(s.Log.String(), failure) {
					t.Errorf("log %s", s.Log.String())
				}
			}
		})
	}
}
