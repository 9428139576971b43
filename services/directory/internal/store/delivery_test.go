package store_test

import (
	"sync"
	"testing"
	"time"

	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
	"backend.example/services/directory/internal/store/storetest"
	"backend.example/services/internal/kit/fault"
)

// send puts n deliveries for w into the outbox.
func send(t *testing.T, s *store.Store, w directory.Webhook, n int) (deliveries []directory.Delivery) {
	t.Helper()
	for range n {
		d := directory.Delivery{
			Webhook: w, Event: directory.Event{ID: "msg", Type: directory.EventAudit, At: databasetest.Time}, State: directory.DeliveryPending,
			NextAt: databasetest.Time, CreatedAt: databasetest.Time,
		}
		ok(t, s.AddDelivery(t.Context(), &d))
		deliveries = append(deliveries, d)
	}
	return deliveries
}

// TestClaimOverReplicas: each delivery is claimed once, whoever asks, and again only
// when the claim has run out.
func TestClaimOverReplicas(t *testing.T) {
	const waiting, replicas = 20, 4
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		w := hear(t, db.Store, nil)
		send(t, db.Store, w, waiting)
		claim := func(now time.Time) map[int64]int {
			var mu sync.Mutex
			var all sync.WaitGroup
			claimed := map[int64]int{}
			for range replicas {
				s := storetest.Open(t, db.URL)
				all.Go(func() {
					for range 4 * waiting { // who comes second finds nothing and asks again
						d, got, err := s.ClaimDelivery(t.Context(), w.ID, now, now.Add(time.Minute))
						if err != nil {
							t.Error(err)
						}
						if got {
							mu.Lock()
							claimed[d.ID]++
							mu.Unlock()
						}
					}
				})
			}
			all.Wait()
			return claimed
		}
		for _, now := range []time.Time{databasetest.Time, databasetest.Time.Add(2 * time.Minute)} {
			claimed := claim(now)
			if len(claimed) != waiting {
				t.Errorf("%d of %d claimed", len(claimed), waiting)
			}
			for id, n := range claimed {
				if n != 1 {
					t.Errorf("delivery %d claimed %d times", id, n)
				}
			}
			if _, got, _ := db.Store.ClaimDelivery(t.Context(), w.ID, now, now.Add(time.Minute)); got {
				t.Error("a claim was taken from its owner")
			}
		}
	})
}

func TestFinishDelivery(t *testing.T) {
	const pending, delivered, parked = directory.DeliveryPending, directory.DeliveryDelivered, directory.DeliveryParked
	for name, test := range map[string]struct {
		state    directory.DeliveryState
		disable  directory.DisabledReason
		since    bool // another delivery was taken since
		disabled directory.DisabledReason
		others   directory.DeliveryState // that wait
	}{
		"delivered":                 {state: delivered, others: pending},
		"to be tried again":         {state: pending, others: pending},
		"given up":                  {state: parked, disable: directory.DisabledFailing, disabled: directory.DisabledFailing, others: parked},
		"given up, others go":       {state: parked, disable: directory.DisabledFailing, since: true, others: pending},
		"gone":                      {state: parked, disable: directory.DisabledGone, disabled: directory.DisabledGone, others: parked},
		"gone, though others went":  {state: parked, disable: directory.DisabledGone, since: true, disabled: directory.DisabledGone, others: parked},
		"a test that was not taken": {state: parked, others: pending},
	} {
		t.Run(name, func(t *testing.T) {
			onEachDatabase(t, func(t *testing.T, db storetest.Database) {
				w := hear(t, db.Store, nil)
				sent := send(t, db.Store, w, 3)
				if test.since {
					sent[2].State = delivered
					ok(t, db.Store.FinishDelivery(t.Context(), sent[2], ""))
				}
				d := sent[0]
				d.State, d.Last, d.NextAt = test.state, directory.Answer{Result: directory.ResultRefused, Status: 500}, databasetest.Time.Add(time.Hour)
				ok(t, db.Store.FinishDelivery(t.Context(), d, test.disable))
				now := must(db.Store.Deliveries(t.Context(), w.ID, 9))(t)
				if now[2].State != test.state || now[2].Last != d.Last || !now[2].NextAt.Equal(storetest.Kept(d.NextAt)) {
					t.Errorf("kept %+v", now[2])
				}
				if now[1].State != test.others {
					t.Errorf("another one is %s, want %s", now[1].State, test.others)
				}
				hook := must(db.Store.Webhook(t.Context(), w.ID))(t)
				if hook.Disabled != test.disabled {
					t.Errorf("disabled %q, want %q", hook.Disabled, test.disabled)
				}
				due := must(db.Store.DueWebhooks(t.Context(), databasetest.Time, nil, 9))(t)
				if (len(due) == 1) != (test.others == pending) {
					t.Errorf("due: %v", due)
				}
			})
		})
	}
}

// TestEnableWebhook: what was parked waits again, but for tests.
func TestEnableWebhook(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		w := hear(t, db.Store, nil)
		test := directory.Delivery{Webhook: w, Event: directory.Event{Type: directory.EventTest}, State: directory.DeliveryParked}
		ok(t, db.Store.AddDelivery(t.Context(), &test))
		d := send(t, db.Store, w, 2)[0]
		d.State = directory.DeliveryParked
		ok(t, db.Store.FinishDelivery(t.Context(), d, directory.DisabledGone))
		must(db.Store.ChangeWebhook(t.Context(), w.ID, func(w *directory.Webhook) { w.Disabled = "" }, directory.Entry{}))(t)
		if o := must(db.Store.Outbox(t.Context(), time.Now().Add(time.Minute)))(t); o.Waiting != 2 || o.Overdue < time.Second {
			t.Errorf("outbox %+v", o)
		}
		if n := must(db.Store.DeleteDeliveriesBefore(t.Context(), databasetest.Time.Add(time.Second)))(t); n != 2 {
			t.Errorf("%d forgotten, want the two old ones", n)
		}
	})
}

func TestRemoveWebhook(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		w := hear(t, db.Store, nil)
		send(t, db.Store, w, 2)
		ok(t, db.Store.RemoveWebhook(t.Context(), w.ID, directory.Entry{}))
		if left := query(t, db.Raw(t), "SELECT CAST(count(*) AS TEXT) FROM webhook_deliveries"); left[0] != "0" {
			t.Errorf("%s deliveries are left", left[0])
		}
		wantFault(t, db.Store.RemoveWebhook(t.Context(), w.ID, directory.Entry{}), fault.NotFound, "no_webhook")
	})
}

// TestUnreadableWebhookSecret: the rest can be listed, and others are delivered.
func TestUnreadableWebhookSecret(t *testing.T) {
	onEachDatabase(t, func(t *testing.T, db storetest.Database) {
		w := hear(t, db.Store, nil)
		send(t, db.Store, w, 1)
		execute(t, db.Raw(t), "UPDATE webhooks SET secret = 'lost:AAAA'")
		listed := must(db.Store.Webhooks(t.Context(), nil))(t)
		if len(listed) != 1 || listed[0].Secret != "" || listed[0].URL != w.URL {
			t.Errorf("listed %+v", listed)
		}
		d, got, err := db.Store.ClaimDelivery(t.Context(), w.ID, databasetest.Time, databasetest.Time.Add(time.Minute))
		if err != nil || !got || d.Webhook.Secret != "" {
			t.Errorf("claimed %+v, %t, %v", d, got, err)
		}
	})
}
