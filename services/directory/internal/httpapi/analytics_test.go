package httpapi_test

import (
	"testing"

	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/searchstats"
)

func TestSyncAnalytics(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		b.post(syncAnalytics, of(w.Company)).notSynced("no_connection", textNoConnection)
		w.connect(directorytest.AnalyticsPair)
		b.post(syncAnalytics, of(w.Company)).want(200).wantAt(true, "success").wantAt("sc-domain:piekarnia.example", "data", "site").
			wantAt(4.0, "data", "clicks").wantAt(400.0, "data", "impressions").wantAt(0.01, "data", "ctr").wantAt(7.0, "data", "position")
		for _, test := range syncFailures() {
			w.Search.Fail["ReadSearch"] = test.err
			a := b.post(syncAnalytics, of(w.Company)).notSynced(test.code, test.text)
			if got := a.Header().Get("Retry-After"); got != test.retryAfter {
				t.Errorf("%s: Retry-After %q", test.code, got)
			}
			requireNoLeak(t, a)
		}
		w.connect(directorytest.AnalyticsPair)
		w.Search.Sites, w.Search.Fail["ReadSearch"] = nil, nil
		b.post(syncAnalytics, of(w.Company)).notSynced("no_site", searchstats.CodeNoSite.Text)
	})
}
