package app

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/testkit"
)

func TestStateIsCounted(t *testing.T) {
	settings := newDirectory(t, "DIRECTORY_SCAN_INTERVAL=24h")
	require(t, settings, "seed")
	a := openApp(t, settings)
	ctx, now := t.Context(), time.Now()
	user, err := a.Users.ByEmail(ctx, "biuro@demo.example")
	ok(t, err)
	for _, pair := range []provider.Pair{provider.PagesPair, provider.PhotosPair, provider.ProfilePair} {
		c := connection.Connection{Pair: pair, CompanyID: *user.CompanyID, UserID: user.ID}
		ok(t, a.Store.Save(ctx, &c, nil, trail.Entry{CompanyID: c.CompanyID}))
	}
	made, soon, tomorrow := now.Add(-48*time.Hour).Unix(), now.Add(time.Hour).UTC(), now.Add(24*time.Hour).UTC()
	due := now.Add(-time.Minute).Truncate(time.Second).UTC()
	ok(t, a.DB.Transaction(ctx, func(tx *gorm.DB) error {
		return jobs.New(a.DB).Insert(tx, jobs.Sync{ConnectionID: 1}, jobs.Sync{ConnectionID: 2})
	}))
	for _, change := range []struct {
		statement string
		args      []any
	}{
		{"UPDATE oauth_tokens SET created_at = ?", []any{time.Unix(made, 0).UTC()}},
		{"UPDATE oauth_tokens SET reconnect_reason = 'revoked' WHERE service = 'social_pages'", nil},
		{"UPDATE oauth_tokens SET scanned_at = ? WHERE service = 'search_profile'", []any{tomorrow}},
		{"DELETE FROM river_job WHERE kind <> 'sync'", nil},
		{"UPDATE river_job SET scheduled_at = ?", []any{due}},
		{"INSERT INTO scan_pauses (provider, service, connection_id, until, seconds) " +
			"SELECT provider, service, id, ?, 60 FROM oauth_tokens WHERE service = 'social_photos'", []any{soon}},
		{"INSERT INTO scan_pauses (provider, service, connection_id, until, seconds) VALUES " +
			"('provider_search', '', 0, ?, 60), ('provider_search', 'search_profile', 0, ?, 60), " +
			"('provider_search', 'search_analytics', 0, ?, 60)", []any{soon, soon, soon}},
	} {
		ok(t, a.DB.Write(ctx).Exec(change.statement, change.args...).Error)
	}
	g := newGauges(a.registry)
	ok(t, a.count(ctx, g))
	got := testkit.Series(t, a.registry)
	want := map[string]float64{
		"directory_connections_broken provider_social social_pages": 1,
		"directory_scan_pauses provider provider_search":            1,
		"directory_scan_pauses service provider_search":             2,
		"directory_scan_pauses connections provider_social":         1,
		"directory_scan_interval_seconds":                           86_400,
		"directory_scan_due_connections":                            2,
		"directory_scan_ahead_connections":                          1,
		"directory_scan_oldest_timestamp_seconds":                   float64(made),
		"directory_jobs sync available":                             2,
		"directory_job_oldest_due_timestamp_seconds sync":           float64(due.Unix()),
	}
	for series := range got {
		counted := strings.HasPrefix(series, "directory_connections_") ||
			strings.HasPrefix(series, "directory_scan_") || strings.HasPrefix(series, "directory_job")
		if !counted || strings.HasPrefix(series, "directory_job_late") {
			delete(got, series)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
