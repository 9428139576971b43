package social_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

var photosPair = directorytest.PhotosPair

// connectPhotos connects social_photos alone.
func connectPhotos(s *directorytest.Service) {
	s.T.Helper()
	s.Connect(connection.Connection{
		Pair: photosPair, AccessToken: "access-1", AccountID: "p-1", AccountName: "Anna",
		Scopes: []string{directorytest.Scope},
	})
}

// connectPage connects social_pages and chooses a page, with the scopes of both services.
func connectPage(s *directorytest.Service) {
	s.T.Helper()
	s.Connect(connection.Connection{
		Pair: pagesPair, AccessToken: "page-2", Chosen: connection.ChosenPage, AccountID: "104119",
		AccountName:     "Cukiernia",
		UserAccessToken: "user-1", Scopes: []string{directorytest.Scope},
	})
}

// onlyPage leaves the user one page to act for, and another one.
func onlyPage(s *directorytest.Service) {
	s.Social.Pages = slices.Delete(s.Social.Pages, 1, 2)
}

func changePages(change func(c *connection.Connection)) func(*directorytest.Service) {
	return func(s *directorytest.Service) { s.Change(pagesPair, change) }
}

// TestPhotosAgreeWithTheirStatus: a sync works if the status says so, and reads the page
// whose account it shows.
func TestPhotosAgreeWithTheirStatus(t *testing.T) {
	type step = func(*directorytest.Service)
	fewScopes := func(c *connection.Connection) { c.Scopes = []string{"inny"} }
	revoked := func(c *connection.Connection) { c.ReconnectReason = directorytest.RevokedReason }
	lost := func(c *connection.Connection) {
		c.Chosen = connection.ChosenNothing
		c.AccountID = ""
		c.AccountName = ""
		c.UserAccessToken = ""
		c.LostChoice = "Cukiernia"
	}
	denied := func(service provider.Service) func(*connection.Connection) {
		return func(c *connection.Connection) { c.Denied = []provider.Service{service} }
	}
	const viaFirst, viaSecond = "ReadPhotos page-1 104118", "ReadPhotos page-2 104119"
	for name, tt := range map[string]struct {
		steps           []step
		code            string // of the sync; empty if it works
		read            string // the read of photos
		connected, mend bool   // in the status before the sync
		account         string
	}{
		"nothing connected":           {nil, "no_connection", "", false, false, ""},
		"photos alone":                {[]step{connectPhotos, onlyPage}, "", viaFirst, true, false, "Anna"},
		"photos alone, several pages": {[]step{connectPhotos}, "no_page", "", true, false, "Anna"},
		"photos alone, several pages, list cut": {
			[]step{connectPhotos, func(s *directorytest.Service) { s.Social.Cut = true }}, "no_page", "", true, false,
			"Anna",
		},
		"photos alone, no page": {
			[]step{connectPhotos, func(s *directorytest.Service) { s.Social.Pages = nil }}, "no_page", "", true, false,
			"Anna",
		},
		"photos alone, list cut": {
			[]step{connectPhotos, onlyPage, func(s *directorytest.Service) { s.Social.Cut = true }},
			"provider_temporary", "", true, false, "Anna",
		},
		"page not chosen": {
			[]step{
				connectPage,
				changePages(func(c *connection.Connection) {
					c.Chosen, c.UserAccessToken = connection.ChosenNothing,
						""
				}),
			}, "no_page", "", false, false, "",
		},
		"page chosen": {[]step{connectPage}, "", viaSecond, true, false, "Cukiernia"},
		"page chosen, photos too": {[]step{connectPage, connectPhotos}, "", viaSecond, true, false,
			"Cukiernia"},
		"page denied": {[]step{connectPage, changePages(denied(provider.SocialPages))}, "",
			viaSecond, true, false, "Cukiernia"},
		"photos denied": {[]step{connectPage, changePages(denied(provider.SocialPhotos))}, "",
			viaSecond, true, true, "Cukiernia"},
		"photos denied, photos connected": {
			[]step{connectPage, changePages(denied(provider.SocialPhotos)), connectPhotos}, "", viaSecond, true, false,
			"Anna",
		},
		"page without the scopes": {[]step{connectPage, changePages(fewScopes), connectPhotos}, "", viaSecond, true,
			false, "Anna"},
		"page without the scopes, list cut": {
			[]step{connectPage, changePages(fewScopes), connectPhotos, func(s *directorytest.Service) {
				s.Social.Cut = true
			}}, "", viaSecond, true, false, "Anna",
		},
		"page without the scopes, of another person": {
			[]step{connectPage, changePages(fewScopes), connectPhotos, onlyPage}, "no_page", "", true, false, "Anna",
		},
		"page revoked": {[]step{connectPage, changePages(revoked)}, "provider_reconnect", "", true,
			true, "Cukiernia"},
		"page revoked, photos connected": {[]step{connectPage, changePages(revoked), connectPhotos}, "", viaSecond,
			true, false, "Anna"},
		"page lost": {[]step{connectPage, changePages(lost)}, "no_page", "", true, true, ""},
		"page lost, photos connected": {[]step{connectPage, changePages(lost), connectPhotos, onlyPage}, "no_page", "",
			true, true, ""},
		"page disconnected": {[]step{connectPage, connectPhotos, onlyPage, changePages((*connection.Connection).End)},
			"", viaFirst, true, false, "Anna"},
	} {
		t.Run(name, func(t *testing.T) {
			s := directorytest.New(t)
			for _, do := range tt.steps {
				do(s)
			}
			if got := photoStatus(s); got.Connected != tt.connected || got.NeedsReconnect != tt.mend ||
				got.AccountName != tt.account {
				t.Errorf("status = %+v", got)
			}
			data, err := s.Pages.SyncPhotos(t.Context(), s.Company.ID)
			if works := err == nil && data.Profile.ID == "17841"; works != (tt.code == "") || !works &&
				fault.From(err).Code != tt.code {
				t.Errorf("SyncPhotos = %+v, %v, want %q", data, err, tt.code)
			}
			calls := slices.DeleteFunc(slices.Clone(s.Social.Calls), func(call string) bool {
				return !strings.HasPrefix(call, "ReadPhotos")
			})
			if got := strings.Join(calls, ", "); got != tt.read {
				t.Errorf("calls %q, want %q", got, tt.read)
			}
		})
	}
}

func photoStatus(s *directorytest.Service) connection.ServiceStatus {
	s.T.Helper()
	services, err := s.Connections.Status(s.T.Context(), directorytest.Actor(s.Anna))
	if err != nil {
		s.T.Fatal(err)
	}
	return services[photosPair.String()]
}

// TestRefusedPhotosMarkTheConnectionThatReads, and so both services say so.
func TestRefusedPhotosMarkTheConnectionThatReads(t *testing.T) {
	for name, tt := range map[string]struct {
		connect func(*directorytest.Service)
		pair    provider.Pair
	}{"page": {connectPage, pagesPair}, "photos alone": {connectPhotos, photosPair}} {
		for refusal, err := range map[string]error{"revoked": directorytest.Revoked(), "denied": provider.Denied(nil)} {
			t.Run(name+" "+refusal, func(t *testing.T) {
				s := directorytest.New(t)
				tt.connect(s)
				onlyPage(s)
				s.Social.Fail["ReadPhotos"] = err
				if _, err := s.Pages.SyncPhotos(t.Context(), s.Company.ID); err == nil {
					t.Error("refused photos were synced")
				}
				if c := s.Stored(tt.pair); !c.NeedsUser() || !photoStatus(s).NeedsReconnect {
					t.Errorf("stored %+v, status %+v", c, photoStatus(s))
				}
			})
		}
	}
}

// TestNothingToReadClearsADenial: after a refusal that was temporary, a page without an
// account, or a person without a page, needs no reconnection.
func TestNothingToReadClearsADenial(t *testing.T) {
	for name, tt := range map[string]struct {
		connect func(*directorytest.Service)
		pair    provider.Pair
		refuses string // while the refusal lasts
		fails   error  // afterwards
	}{
		"no account": {connectPage, pagesPair, "ReadPhotos", provider.Gone(nil)},
		"no page":    {connectPhotos, photosPair, "Pages", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := directorytest.New(t)
			tt.connect(s)
			for _, err := range []error{provider.Denied(nil), tt.fails} {
				s.Social.Fail[tt.refuses] = err
				_, synced := s.Pages.SyncPhotos(t.Context(), s.Company.ID)
				if c := s.Stored(tt.pair); synced == nil || c.NeedsUser() != fault.Is(err, provider.CodePermission) {
					t.Errorf("after %v: %+v", synced, c)
				}
			}
		})
	}
}

// TestScanReadsPhotosOnce for a company, through whichever connection reads them.
func TestScanReadsPhotosOnce(t *testing.T) {
	for name, steps := range map[string][]func(*directorytest.Service){
		"photos alone": {connectPhotos, onlyPage},
		"page":         {connectPage},
		"both":         {connectPage, connectPhotos},
		"page revoked": {
			connectPage, connectPhotos, changePages(func(c *connection.Connection) { c.ReconnectReason = "Cofnięto." }),
		},
		"several pages": {connectPhotos},
	} {
		t.Run(name, func(t *testing.T) {
			s := directorytest.New(t)
			for _, do := range steps {
				do(s)
			}
			result, err := s.Scan.Run(t.Context(), nil)
			reading, _, readErr := s.Pages.PhotoStatistics(t.Context(), s.Company.ID)
			if err != nil || readErr != nil {
				t.Fatalf("scan %+v, %v: reading %+v, %v", result, err, reading, readErr)
			}
			if result.Failed > 0 || reading.SyncedAt.IsZero() != (name == "several pages") {
				t.Errorf("scan %+v, %v: reading %+v, %v", result, err, reading, readErr)
			}
			if n := strings.Count(strings.Join(s.Social.Calls, " "), "ReadPhotos"); n > 1 {
				t.Errorf("calls %q", s.Social.Calls)
			}
		})
	}
}

// TestScanStepWithoutWork checks what the scan is told of a step that has nothing to read.
func TestScanStepWithoutWork(t *testing.T) {
	s := directorytest.New(t)
	photos, err := s.Pages.ScanPhotos(pagesPair)(t.Context(), s.Company.ID)
	directorytest.WantFault(t, err, fault.NotFound, connection.CodeNoConnection.Name)
	s.Granted()
	page, err := s.Pages.ScanPage(t.Context(), s.Company.ID)
	directorytest.WantFault(t, err, fault.NotFound, connection.CodeNoPage.Name)
	if photos || page {
		t.Errorf("worked without a page: %t, %t", photos, page)
	}
	connectPage(s)
	connectPhotos(s)
	s.Social.Fail["ReadPage"], s.Social.Fail["ReadPhotos"] = provider.Temporary(nil), provider.Temporary(nil)
	for _, scan := range []func(context.Context, int64) (bool, error){s.Pages.ScanPage, s.Pages.ScanPhotos(pagesPair)} {
		worked, err := scan(t.Context(), s.Company.ID)
		if directorytest.WantFault(t, err, fault.Internal, provider.CodeTemporary.Name); worked {
			t.Error("what could not be read counts as work")
		}
	}
	clear(s.Social.Fail)
	// the page's connection reads them
	for pair, want := range map[provider.Pair]bool{photosPair: false, pagesPair: true} {
		if worked, err := s.Pages.ScanPhotos(pair)(t.Context(), s.Company.ID); err != nil || worked != want {
			t.Errorf("%s: worked %t, %v", pair, worked, err)
		}
	}
}

// TestPhotosRenewTheirToken before the user's pages are listed.
func TestPhotosRenewTheirToken(t *testing.T) {
	s := directorytest.New(t)
	connectPhotos(s)
	onlyPage(s)
	s.Change(photosPair, func(c *connection.Connection) { c.ExpiresAt = directorytest.After(time.Minute) })
	s.Social.Renewal = provider.Token{AccessToken: "access-2", ExpiresAt: directorytest.After(time.Hour)}
	if _, err := s.Pages.SyncPhotos(t.Context(), s.Company.ID); err != nil ||
		!slices.Contains(s.Social.Calls, "Pages access-2") {
		t.Errorf("err %v after %q", err, s.Social.Calls)
	}
}
