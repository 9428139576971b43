package connection_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/webhook"
)

// subscribe adds an address that is subscribed to the service's company.
func subscribe(t *testing.T, s *directorytest.Service) webhook.Webhook {
	t.Helper()
	w, err := s.Webhooks.Add(t.Context(), anna(s).By(), &s.Company.ID, "https://hook.example/a")
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// published lists the type and the data of a webhook's events, oldest first.
func published(t *testing.T, s *directorytest.Service, w webhook.Webhook) (events []string) {
	t.Helper()
	list, err := s.Webhooks.Deliveries(t.Context(), w.ID, 99)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		events = append([]string{d.Type + " " + d.Data}, events...)
	}
	return events
}

const (
	brokenEvent    = `connection.broken {"company_id":%d,"provider":"provider_social","service":"social_pages","reason":"` + directorytest.RevokedReason + `"}`
	recoveredEvent = `connection.recovered {"company_id":%d,"provider":"provider_social","service":"social_pages","reason":null}`
)

// TestNoFalseAlarms: failures that pass by themselves publish nothing.
func TestNoFalseAlarms(t *testing.T) {
	const failures = 10000
	s := directorytest.New(t)
	w := subscribe(t, s)
	connectPage(s)
	faults := []error{
		provider.CodeTemporary.Fault(), provider.CodeThrottled.Fault().After(time.Second), provider.CodeOperator.Fault(),
		provider.CodeGone.Fault(), provider.CodeChanged.Fault(), errors.New("connection reset"),
	}
	c := s.Stored(directorytest.PagesPair)
	for i := range failures {
		fails := faults[i%len(faults)]
		_, err := connection.Use(t.Context(), s.Connections, c, func(context.Context, string, string) (string, error) { return "", fails })
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
	if events := published(t, s, w); len(events) != 0 {
		t.Errorf("%d events, the first %s", len(events), events[0])
	}
	if now := s.Stored(directorytest.PagesPair); !reflect.DeepEqual(now, c) {
		t.Errorf("stored = %+v, want %+v", now, c)
	}
	s.WantTrail("webhook add")
}

// connectPage stores a connection whose page is chosen.
func connectPage(s *directorytest.Service) {
	s.Connect(connection.Connection{
		Pair: directorytest.PagesPair, AccessToken: "page-1", Chosen: connection.ChosenPage, AccountID: "104118", UserAccessToken: "access-1",
		Scopes: []string{directorytest.Scope},
	})
}

func TestScanPublishesALostToken(t *testing.T) {
	s := directorytest.New(t)
	w := subscribe(t, s)
	connectPage(s)
	s.Social.Fail["ReadPage"] = directorytest.Revoked()
	for range 2 {
		if _, err := s.Scan.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	if events, want := published(t, s, w), fmt.Sprintf(brokenEvent, s.Company.ID); len(events) != 1 || events[0] != want {
		t.Errorf("published %q, want %s", events, want)
	}
}

// TestLostTokenIsPublishedOnce: at the first call, and the new authorization publishes that
// the connection works again.
func TestLostTokenIsPublishedOnce(t *testing.T) {
	s := directorytest.New(t)
	w := subscribe(t, s)
	connectPage(s)
	s.Social.Fail["ReadPage"] = directorytest.Revoked()
	for range 3 {
		if _, err := s.Pages.SyncPage(t.Context(), s.Company.ID); err == nil {
			t.Fatal("a sync went well")
		}
	}
	s.Connect(connection.Connection{Pair: directorytest.PagesPair, AccessToken: "access-1", Scopes: []string{directorytest.Scope}})
	want := []string{fmt.Sprintf(brokenEvent, s.Company.ID), fmt.Sprintf(recoveredEvent, s.Company.ID)}
	if events := published(t, s, w); !reflect.DeepEqual(events, want) {
		t.Errorf("published %q, want %q", events, want)
	}
}
