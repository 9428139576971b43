package webhook_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/webhook"
)

func TestDeliveriesAreJobs(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		a := apptest.New(t, apptest.On(db.URL))
		var status, received atomic.Int32
		receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			received.Add(1)
			w.WriteHeader(int(status.Load()))
		}))
		t.Cleanup(receiver.Close)
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		hook, err := a.Webhooks.Add(t.Context(), apptest.Actor(a.Anna).By(), &a.Company.ID, receiver.URL)
		must(err)
		publish := func() error {
			return a.DB.Transaction(t.Context(), func(tx *gorm.DB) error {
				return webhook.Publish(a.DB, tx, "audit.completed", a.Company.ID, 1)
			})
		}
		twice := func() error { return errors.Join(publish(), publish()) }
		schedule := func() error { return a.DB.Transaction(t.Context(), a.Webhooks.Schedule) }
		test := func() error {
			_, err := a.Webhooks.Test(t.Context(), apptest.Actor(a.Anna).By(), hook.ID)
			return err
		}
		type facts struct {
			Received int32
			Jobs     int
			Wait     time.Duration // of the job
		}
		for _, step := range []struct {
			name   string
			status int32
			change func() error
			pass   time.Duration
			want   facts
		}{
			{"two events are refused", 503, twice, 0, facts{1, 1, 5 * time.Second}},
			{"a new event does not end the wait", 200, publish, 0, facts{1, 1, 5 * time.Second}},
			{"nor does the schedule", 200, schedule, time.Minute, facts{1, 1, 5 * time.Second}},
			{"an accepted test does, and all are sent", 200, test, 0, facts{5, 0, 0}},
			{"a receiver that works gets each event", 200, publish, 0, facts{6, 0, 0}},
		} {
			status.Store(step.status)
			a.Clock.Pass(step.pass)
			must(step.change())
			a.Work()
			list, err := jobs.New(a.DB).List(t.Context())
			must(err)
			got := facts{Received: received.Load()}
			for _, job := range list {
				if args := (jobs.Deliveries{}); job.Kind == args.Kind() {
					got.Jobs++
					got.Wait = time.Until(job.ScheduledAt).Round(5 * time.Second)
				}
			}
			if diff := cmp.Diff(step.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", step.name, diff)
			}
		}
		must(a.Webhooks.Remove(t.Context(), apptest.Actor(a.Anna).By(), hook.ID))
	})
}
