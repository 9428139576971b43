package directory_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/directorytest"
)

var (
	taken    = directory.Answer{Result: directory.ResultDelivered, Status: 200}
	notTaken = directory.Answer{Result: directory.ResultRefused, Status: 500}
	gone     = directory.Answer{Result: directory.ResultGone, Status: 410}
)

// tellOf puts n events into the outbox.
func tellOf(t *testing.T, s *directorytest.Service, n int) {
	t.Helper()
	for range n {
		if err := s.Audits.Save(t.Context(), &audit.Audit{CompanyID: s.Company.ID, Category: "poor"}); err != nil {
			t.Fatal(err)
		}
	}
}

// deliveries are those of w, newest first.
func deliveries(t *testing.T, s *directorytest.Service, w directory.Webhook) []directory.Delivery {
	t.Helper()
	list, err := s.Webhooks.Deliveries(t.Context(), w.ID, 99)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestDeliver(t *testing.T) {
	s := directorytest.New(t)
	w := addHook(t, s)
	tellOf(t, s, 3)
	s.Webhooks.Look(t.Context())
	sent := s.Receiver.Received()
	if len(sent) != 3 || sent[0].URL != hookURL || sent[0].Secrets[0] != w.Secret || sent[0].Event.Type != directory.EventAudit {
		t.Errorf("sent %+v", sent)
	}
	s.Now = s.Now.Add(48 * time.Hour)
	s.Webhooks.Look(t.Context())
	if again := s.Receiver.Received(); len(again) != 0 {
		t.Errorf("sent again: %+v", again)
	}
}

// TestRetries follows one delivery that nobody takes: the waits grow to a day, the
// event stays the same, and in the end it is parked and its webhook disabled. A test
// that is taken sends it after all.
func TestRetries(t *testing.T) {
	s := directorytest.New(t)
	w := addHook(t, s)
	tellOf(t, s, 1)
	s.Receiver.Answer = notTaken
	waits := []time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 4 * time.Hour, 12 * time.Hour, 24 * time.Hour}
	var id string
	for i, wait := range waits {
		s.Webhooks.Look(t.Context())
		sent, kept := s.Receiver.Received(), deliveries(t, s, w)[0]
		if len(sent) != 1 || id != "" && sent[0].Event.ID != id || kept.State != directory.DeliveryPending || kept.Attempts != i+1 || kept.Last != notTaken {
			t.Fatalf("attempt %d: sent %+v, kept %+v", i+1, sent, kept)
		}
		id = sent[0].Event.ID
		if until := kept.NextAt.Sub(s.Now); until < wait || until > wait*6/5 {
			t.Errorf("attempt %d: the next one in %s, want about %s", i+1, until, wait)
		}
		s.Now = kept.NextAt.Add(-time.Millisecond)
		s.Webhooks.Look(t.Context())
		if early := s.Receiver.Received(); len(early) != 0 {
			t.Errorf("attempt %d came early", i+2)
		}
		s.Now = kept.NextAt
	}
	s.Webhooks.Look(t.Context())
	hook, err := s.Webhooks.Owned(t.Context(), s.Company.ID, w.ID)
	if kept := deliveries(t, s, w)[0]; err != nil || kept.State != directory.DeliveryParked || hook.Disabled != directory.DisabledFailing {
		t.Errorf("in the end: %+v of %+v, %v", kept, hook, err)
	}
	tellOf(t, s, 1)
	if n := len(deliveries(t, s, w)); n != 1 {
		t.Errorf("%d deliveries: a disabled webhook hears of more", n)
	}
	s.Receiver.Received()
	s.Receiver.Answer = taken
	if _, err := s.Webhooks.Test(t.Context(), anna(s), w.ID); err != nil {
		t.Fatal(err)
	}
	s.Webhooks.Look(t.Context())
	if sent := s.Receiver.Received(); len(sent) != 2 || sent[1].Event.ID != id {
		t.Errorf("after a test: %+v", sent)
	}
}

// TestFailureEndsTheTurn: one that takes nothing is not asked about everything at once.
func TestFailureEndsTheTurn(t *testing.T) {
	s := directorytest.New(t)
	addHook(t, s)
	tellOf(t, s, 3)
	s.Receiver.Answer = notTaken
	s.Webhooks.Look(t.Context())
	if sent := s.Receiver.Received(); len(sent) != 1 {
		t.Errorf("%d attempts in one turn", len(sent))
	}
}

func TestGoneDisables(t *testing.T) {
	s := directorytest.New(t)
	w := addHook(t, s)
	tellOf(t, s, 3)
	s.Receiver.Answer = gone
	s.Webhooks.Look(t.Context())
	s.Now = s.Now.Add(48 * time.Hour)
	s.Webhooks.Look(t.Context())
	hook, err := s.Webhooks.Owned(t.Context(), s.Company.ID, w.ID)
	if sent := s.Receiver.Received(); err != nil || len(sent) != 1 || hook.Disabled != directory.DisabledGone {
		t.Errorf("sent %d, %+v, %v", len(sent), hook, err)
	}
}

// TestSlowReceiver: one that takes its time holds up nobody else.
func TestSlowReceiver(t *testing.T) {
	s := directorytest.New(t)
	addHook(t, s)
	if _, err := s.Webhooks.Add(t.Context(), anna(s), &s.Company.ID, "https://slow.example/"); err != nil {
		t.Fatal(err)
	}
	tellOf(t, s, 5)
	others := make(chan struct{}, 9)
	s.Receiver.During = func(m directory.Message) {
		if m.URL == hookURL {
			others <- struct{}{}
			return
		}
		if len(s.Receiver.Received()) == 0 { // the first of the slow one: it waits for all of the others'
			for range 5 {
				<-others
			}
		}
	}
	s.Webhooks.Look(t.Context())
	if o, err := s.Store.Outbox(t.Context(), s.Now); err != nil || o.Waiting != 0 {
		t.Errorf("outbox %+v, %v", o, err)
	}
}

// TestWithoutSecret: what cannot be signed is not sent, and waits.
func TestWithoutSecret(t *testing.T) {
	s := directorytest.New(t)
	w := addHook(t, s)
	if _, err := s.Store.ChangeWebhook(t.Context(), w.ID, func(w *directory.Webhook) { w.Secret = "" }, directory.Entry{}); err != nil {
		t.Fatal(err)
	}
	tellOf(t, s, 1)
	s.Webhooks.Look(t.Context())
	if kept := deliveries(t, s, w)[0]; len(s.Receiver.Received()) != 0 || kept.State != directory.DeliveryPending || kept.Last.Result != directory.ResultNoSecret {
		t.Errorf("%+v", kept)
	}
}

// TestNoFalseAlarms: whatever passes by itself is told to nobody.
func TestNoFalseAlarms(t *testing.T) {
	const failures = 10000
	s := directorytest.New(t)
	w := addHook(t, s)
	connectPage(s)
	faults := []error{
		directory.CodeTemporary.Fault(), directory.CodeThrottled.Fault().After(time.Second), directory.CodeOperator.Fault(),
		directory.CodeGone.Fault(), directory.CodeChanged.Fault(), errors.New("connection reset"),
	}
	c := s.Stored(directorytest.PagesPair)
	for i := range failures {
		fails := faults[i%len(faults)]
		_, err := directory.Use(t.Context(), s.OAuth, c, func(context.Context, string, string) (string, error) { return "", fails })
		if !errors.Is(err, fails) {
			t.Fatalf("err = %v, want %v", err, fails)
		}
	}
	for _, fails := range faults {
		s.Social.Fail["ReadPage"], s.Social.Fail["Refresh"] = fails, fails
		if _, err := s.Pages.SyncPage(t.Context(), s.Company.ID); err == nil {
			t.Fatal("a sync went well")
		}
		if _, err := s.Scan.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if list := deliveries(t, s, w); len(list) != 0 {
		t.Errorf("%d events, the first %+v", len(list), list[0])
	}
	if now := s.Stored(directorytest.PagesPair); !reflect.DeepEqual(now, c) {
		t.Errorf("stored = %+v, want %+v", now, c)
	}
	s.WantTrail("webhook add")
}

// connectPage stores a connection whose page is chosen.
func connectPage(s *directorytest.Service) {
	s.Connect(directory.Connection{
		Pair: directorytest.PagesPair, AccessToken: "page-1", Chosen: directory.ChosenPage, AccountID: "104118", UserAccessToken: "access-1",
		Scopes: []string{directorytest.Scope},
	})
}

// TestScanTells: what a scan meets with is told as what a call meets with.
func TestScanTells(t *testing.T) {
	s := directorytest.New(t)
	addHook(t, s)
	connectPage(s)
	s.Social.Fail["ReadPage"] = directorytest.Revoked()
	for range 2 {
		if _, err := s.Scan.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	s.Webhooks.Look(t.Context())
	if sent := s.Receiver.Received(); len(sent) != 1 || sent[0].Event.Type != directory.EventBroken {
		t.Errorf("told %+v", sent)
	}
}

// TestBrokenIsTold: a call that meets with a lost token tells so at once, and the new
// authorization tells that it works again.
func TestBrokenIsTold(t *testing.T) {
	s := directorytest.New(t)
	addHook(t, s)
	connectPage(s)
	s.Social.Fail["ReadPage"] = directorytest.Revoked()
	for range 3 {
		if _, err := s.Pages.SyncPage(t.Context(), s.Company.ID); err == nil {
			t.Fatal("a sync went well")
		}
	}
	s.Connect(directory.Connection{Pair: directorytest.PagesPair, AccessToken: "access-1", Scopes: []string{directorytest.Scope}})
	s.Now = s.Now.Add(time.Second)
	s.Webhooks.Look(t.Context())
	var told []string
	for _, m := range s.Receiver.Received() {
		told = append(told, fmt.Sprintf("%s %s %s", m.Event.Type, m.Event.Pair, m.Event.Reason))
	}
	want := []string{"connection.broken provider_social/social_pages " + directorytest.RevokedReason, "connection.recovered provider_social/social_pages "}
	if strings.Join(told, "\n") != strings.Join(want, "\n") {
		t.Errorf("told %q, want %q", told, want)
	}
}
