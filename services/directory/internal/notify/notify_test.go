package notify_test

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

// collect returns a function that returns the e-mails about companies that some replicas have sent
// since its last call, sorted.
func collect(replicas ...*apptest.App) (sent func() []string) {
	var mu sync.Mutex
	var mails []string
	for _, a := range replicas {
		a.Notify.Send = func(_ context.Context, to, subject, text string) (bool, error) {
			mu.Lock()
			defer mu.Unlock()
			mails = append(mails, to+": "+subject+"\n"+text)
			return false, nil
		}
	}
	return func() []string {
		defer func() { mails = nil }()
		return slices.Sorted(slices.Values(mails))
	}
}

func TestBrokenConnectionIsMailed(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		a := apptest.New(t, apptest.On(db.URL))
		ewa := a.AddUser("ewa", account.Member, &a.Company)
		stranger := a.AddCompany("inna")
		a.AddUser("obca", account.Manager, &stranger)
		sent := collect(a)
		a.Passwords.Send = a.Notify.Send
		anna := a.Browser(a.Anna)
		anna.Connect(provider.AnalyticsPair, "anna")
		mark := func(reason string) func() {
			return func() {
				a.Change(provider.AnalyticsPair, func(c *connection.Connection) { c.ReconnectReason = reason })
			}
		}
		later := func() {
			err := a.DB.Transaction(t.Context(), func(tx *gorm.DB) error {
				return jobs.New(a.DB).Hurry(tx, jobs.BrokenMail{}.Kind())
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		const text = "Google Search Console czeka na Ciebie: Piekarnia Kowalski\nDzień dobry!\n\n" +
			"Google Search Console: połączenie firmy „Piekarnia Kowalski” przestało działać.\n\nDostęp wygasł.\n\n" +
			"Wystarczy kilka kliknięć na tej stronie:\n\n" +
			"https://firmy.example/konto/integracje#provider_search\n\n" +
			"Takie wiadomości wyłączysz na stronie https://firmy.example/konto/dane\n"
		for _, step := range []struct {
			name string
			do   func()
			want []string
		}{
			{"broken", mark("Dostęp wygasł."), nil},
			{"a while later", later, []string{a.Anna.Email + ": " + text, ewa.Email + ": " + text}},
			{"broken still", mark("Dostęp odebrano."), nil},
			{"works again", mark(""), nil},
			{"broken once more", mark("Dostęp wygasł."), nil},
			{"unmarked at once", mark(""), nil},
			{"for which no e-mail is sent", later, nil},
			{"turned off", func() {
				a.Browser(ewa).Submit("/konto/dane/powiadomienia", url.Values{}).Want(http.StatusSeeOther)
				mark("Dostęp wygasł.")()
				later()
			}, []string{a.Anna.Email + ": " + text}},
		} {
			step.do()
			a.Work()
			if diff := cmp.Diff(step.want, sent()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", step.name, diff)
			}
		}
	})
}
