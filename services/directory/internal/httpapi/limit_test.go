package httpapi_test

import (
	"context"
	"testing"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/directorytest"
)

const textTooMuchWork = "Zbyt wiele zapytań do dostawcy w krótkim czasie. Spróbuj ponownie później."

// limited is a service with the limits of the defaults.
func limited(t *testing.T, test func(*testing.T, *world)) {
	withService(t, func(t *testing.T, w *world) {
		w.Discovers, w.Syncs = 10, 12
		w.wire()
		test(t, w)
	})
}

// TestLimitsOfWork: each service has its own, for any user; what is refused for
// another reason does not count, and what is refused sends no request.
func TestLimitsOfWork(t *testing.T) {
	limited(t, func(t *testing.T, w *world) {
		other := w.AddCompany("warsztat")
		anna, guest := w.loggedInAs(w.Anna), w.loggedInAs(w.AddUser("gosc", account.Unaffiliated, &w.Company))
		admin, stranger := w.loggedInAs(w.AddUser("ala", account.Admin, &w.Company)), w.loggedInAs(w.AddUser("ola", account.Manager, &other))
		for range 13 {
			anna.post(discoverLocations, "").want(404)
			anna.post(discoverPages, of(w.Company)).want(404)
			anna.post(syncPage, of(w.Company)).notSynced("no_connection", textNoConnection)
			guest.post(syncPage, of(w.Company)).want(403)
		}
		w.connect(profilePair)
		w.connectPage()
		w.connect(directorytest.AnalyticsPair)
		for _, test := range []struct {
			path, body string
			max        int
			provider   func() int
		}{
			{discoverLocations, "", 10, func() int { return len(w.Search.Calls) }},
			{discoverPages, of(w.Company), 10, func() int { return len(w.Social.Calls) }},
			{syncPage, of(w.Company), 12, func() int { return len(w.Social.Calls) }},
			{syncPhotos, of(w.Company), 12, func() int { return len(w.Social.Calls) }},
			{syncAnalytics, of(w.Company), 12, func() int { return len(w.Search.Calls) }},
		} {
			admin.post(test.path, test.body).want(200)
			w.pass(time.Minute / 2)
			for range test.max - 1 {
				anna.post(test.path, test.body).want(200)
			}
			asked := test.provider()
			for _, b := range []*browser{anna, admin} {
				a := b.post(test.path, test.body)
				if test.max == 12 {
					a.want(429).wantAt(nil, "data").wantAt("too_much_work", "code").wantAt(textTooMuchWork, "message").wantAt(textTooMuchWork, "error")
				} else {
					a.wantErrorOnly(429, textTooMuchWork)
				}
				if got := a.Header().Get("Retry-After"); got != "570" || test.provider() != asked {
					t.Errorf("%s: Retry-After %q, asked %d times", test.path, got, test.provider()-asked)
				}
			}
		}
		guest.post(syncPage, of(w.Company)).wantErrorOnly(403, textNotAllowed)
		stranger.post(discoverPages, of(other)).wantErrorOnly(404, textNoConnection)
		w.pass(10 * time.Minute)
		anna.post(syncPhotos, of(w.Company)).want(200)
	})
}

// TestChoicesAndScansDoNotCount, and are not limited either.
func TestChoicesAndScansDoNotCount(t *testing.T) {
	limited(t, func(_ *testing.T, w *world) {
		w.connect(profilePair)
		w.connectPage()
		b := w.loggedInAs(w.Anna)
		for i := range 13 {
			b.post(selectPage, pageOf(w.Company, `"104118"`)).want(200).wantAt("complete", "sync", "metrics_state")
			b.post(selectLocation, `{"location_name":"locations/1"}`).want(200)
			w.pass(time.Second)
			result, err := w.Scan.Run(context.Background(), nil)
			synced := 2
			if i == 0 {
				synced++ // the audit of the week
			}
			if w.ok(err); result.Synced != synced || result.Failed != 0 {
				w.t.Errorf("scan: %+v", result)
			}
		}
		b.post(discoverPages, of(w.Company)).want(200)
		b.post(syncPage, of(w.Company)).want(200)
		b.post(syncPhotos, of(w.Company)).want(200)
		b.post(discoverLocations, "").want(200)
	})
}
