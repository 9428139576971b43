package directory_test

import (
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/directorytest"
	"backend.example/services/internal/kit/fault"
)

const hookURL = "https://hook.example/a"

// addHook adds an address that hears of the service's company.
func addHook(t *testing.T, s *directorytest.Service) directory.Webhook {
	t.Helper()
	w, err := s.Webhooks.Add(t.Context(), anna(s), &s.Company.ID, hookURL)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestAddWebhook(t *testing.T) {
	s := directorytest.New(t)
	w := addHook(t, s)
	if !strings.HasPrefix(w.Secret, "whsec_") || len(w.Secret) != 50 || w.ID == 0 {
		t.Errorf("added %+v", w)
	}
	if _, err := s.Webhooks.Add(t.Context(), anna(s), &s.Company.ID, "http://hook.example/"); !fault.Is(err, directory.CodeInvalidWebhook.Name) {
		t.Errorf("a plain address: %v", err)
	}
	if _, err := s.Webhooks.Add(t.Context(), anna(s), &s.Company.ID, hookURL); !fault.Is(err, directory.CodeTooManyWebhooks.Name) {
		t.Errorf("the same again: %v", err)
	}
	for _, more := range []string{"b", "c", "d", "e"} {
		if _, err := s.Webhooks.Add(t.Context(), anna(s), &s.Company.ID, hookURL+more); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Webhooks.Add(t.Context(), anna(s), &s.Company.ID, hookURL+"f"); !fault.Is(err, directory.CodeTooManyWebhooks.Name) {
		t.Errorf("one too many: %v", err)
	}
	other := s.AddCompany("inna")
	all, err := s.Webhooks.Add(t.Context(), anna(s), nil, hookURL)
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []struct{ company, id int64 }{{other.ID, w.ID}, {s.Company.ID, all.ID}, {s.Company.ID, 99}} {
		if _, err := s.Webhooks.Owned(t.Context(), hidden.company, hidden.id); !fault.Is(err, directory.CodeNoWebhook.Name) {
			t.Errorf("%+v is seen: %v", hidden, err)
		}
	}
	if _, err := s.Webhooks.Owned(t.Context(), s.Company.ID, w.ID); err != nil {
		t.Error(err)
	}
}

// TestRotateWebhook: for a day both secrets sign, the new one first.
func TestRotateWebhook(t *testing.T) {
	s := directorytest.New(t)
	before := addHook(t, s)
	after, err := s.Webhooks.Rotate(t.Context(), anna(s), before.ID)
	if err != nil || after.Secret == before.Secret {
		t.Fatalf("%+v, %v", after, err)
	}
	if err := s.Webhooks.Remove(t.Context(), anna(s), 99); !fault.Is(err, directory.CodeNoWebhook.Name) {
		t.Errorf("removing an unknown one: %v", err)
	}
	s.WantTrail("webhook add", "webhook rotate")
	if e := s.Trail()[1]; *e.UserID != s.Anna.ID || e.Detail != "webhook 1" || e.CompanyID != s.Company.ID {
		t.Errorf("entry = %+v", e)
	}
	for wait, want := range map[time.Duration][]string{0: {after.Secret, before.Secret}, 25 * time.Hour: {after.Secret}} {
		s.Now = directorytest.Start.Add(wait)
		if _, err := s.Webhooks.Test(t.Context(), anna(s), before.ID); err != nil {
			t.Fatal(err)
		}
		if sent := s.Receiver.Received(); len(sent) != 1 || strings.Join(sent[0].Secrets, " ") != strings.Join(want, " ") {
			t.Errorf("after %s: %+v, want %q", wait, sent, want)
		}
	}
}

func TestTestWebhook(t *testing.T) {
	s := directorytest.New(t)
	w := addHook(t, s)
	s.Receiver.Answer = directory.Answer{Result: directory.ResultRefused, Status: 500}
	d, err := s.Webhooks.Test(t.Context(), anna(s), w.ID)
	if err != nil || d.State != directory.DeliveryParked || d.Last.Status != 500 {
		t.Errorf("refused: %+v, %v", d, err)
	}
	s.Now = s.Now.Add(time.Hour)
	s.Receiver.Received()
	s.Webhooks.Look(t.Context())
	if sent := s.Receiver.Received(); len(sent) != 0 {
		t.Errorf("a test was repeated: %+v", sent)
	}
	for range 10 {
		_, err = s.Webhooks.Test(t.Context(), anna(s), w.ID)
	}
	if err != nil {
		t.Errorf("within the limit: %v", err)
	}
	if _, err = s.Webhooks.Test(t.Context(), anna(s), w.ID); !fault.Is(err, directory.CodeTooMuchWork.Name) || len(s.Receiver.Received()) != 10 {
		t.Errorf("above the limit: %v", err)
	}
}
