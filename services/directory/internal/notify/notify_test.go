package notify_test

import (
	"context"
	"net/http"
	"net/url"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/apptest"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database/databasetest"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/statistics"
)

func TestMain(m *testing.M) { os.Exit(databasetest.Main(m)) }

// collect makes replicas keep the e-mails about companies instead of sending them. sent returns those
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

// TestMonthIsMailed checks that from the third day of a month each person of a company with
// figures gets one e-mail about the month before, also from two replicas that work at once, unless
// the person turned that off or cannot log in.
func TestMonthIsMailed(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db databasetest.Database) {
		a := apptest.New(t, apptest.On(db.URL), "DIRECTORY_SCAN_INTERVAL=0")
		replica := apptest.New(t, apptest.On(db.URL), "DIRECTORY_SCAN_INTERVAL=0")
		ok := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		followers := func(c company.Company, service provider.Service, date string, count int) {
			at, err := time.Parse(time.DateOnly, date)
			ok(err)
			ok(statistics.Save(t.Context(), a.DB, statistics.Reading[social.PageData]{CompanyID: c.ID, Service: service,
				AccountID: "1", Count: count, Data: &social.PageData{}, SyncedAt: at}))
		}
		sent := collect(a, replica)
		ewa := a.AddUser("ewa", account.Member, &a.Company)
		a.Browser(ewa).Submit("/konto/dane/powiadomienia", url.Values{}).Want(http.StatusSeeOther)
		a.AddUser("bez-firmy", account.Member, nil)
		a.AddUser("gosc", account.Unaffiliated, &a.Company)
		disabled := a.AddUser("odszedl", account.Member, &a.Company)
		invited := a.AddUser("nowa", account.Member, &a.Company)
		ok(a.DB.Write(t.Context()).Model(&disabled).UpdateColumn("disabled_at", apptest.Start).Error)
		ok(a.DB.Write(t.Context()).Model(&invited).UpdateColumn("password_hash", "").Error)
		empty, second := a.AddCompany("pusta"), a.AddCompany("druga")
		a.AddUser("pusta", account.Manager, &empty)
		jan := a.AddUser("jan", account.Manager, &second)

		ok(statistics.Save(t.Context(), a.DB, statistics.Reading[statistics.Performance]{CompanyID: a.Company.ID,
			Service: provider.SearchProfile, AccountID: "1", Data: &statistics.Performance{To: "2026-11-27"}}))
		for _, day := range []google.PerformanceDay{
			{Day: "2026-10-31", Calls: 500}, {Day: "2026-11-01", SearchMobile: 900, MapsMobile: 300},
			{Day: "2026-11-27", SearchDesktop: 40, Calls: 3, Directions: 20, Website: 1},
			{Day: "2026-12-01", Calls: 500},
		} {
			ok(a.DB.Write(t.Context()).Table("performance_days").Create(&struct {
				CompanyID int64
				AccountID string
				google.PerformanceDay
			}{a.Company.ID, "1", day}).Error)
		}
		ok(statistics.Save(t.Context(), a.DB, statistics.Reading[statistics.Search]{CompanyID: a.Company.ID,
			Service: provider.SearchAnalytics, Data: &statistics.Search{SearchData: google.SearchData{To: "2026-11-29",
				Earlier: []google.SearchDay{{Day: "2026-10-31", Clicks: 500}, {Day: "2026-11-01", Clicks: 20}},
				Days:    []google.SearchDay{{Day: "2026-11-29", Clicks: 2}}}}}))
		followers(a.Company, provider.SocialPages, "2026-10-30", 120)
		followers(a.Company, provider.SocialPages, "2026-11-30", 134)
		followers(a.Company, provider.SocialPhotos, "2026-10-31", 60)
		followers(a.Company, provider.SocialPhotos, "2026-11-30", 58)
		followers(second, provider.SocialPages, "2026-11-30", 2)
		ok(a.Audits.Save(t.Context(), &audit.Audit{
			CompanyID: a.Company.ID, Outcome: audit.Outcome{Score: 72.5, Category: "good"}, Source: audit.FromRecord,
			Recommendations: []audit.Recommendation{{Points: 12, Text: "Dodaj opis firmy."}, {Points: 8}},
		}))

		text := func(to, month, firm, sentences, days string) string {
			return to + ": Podsumowanie " + month + ": " + firm + "\nDzień dobry!\n\n" + sentences +
				"\n\nWykresy i szczegóły:\n\nhttps://firmy.example/konto/statystyki?" + days +
				"\n\nTakie wiadomości wyłączysz na stronie https://firmy.example/konto/dane\n"
		}
		november := []string{
			text(a.Anna.Email, "listopada 2026", a.Company.Name,
				"W ciągu listopada 2026 profil firmy w Google wyświetlono 1240\u00a0razy; klienci dzwonili, pytali o "+
					"drogę, pisali lub przechodzili z niego na stronę 24\u00a0razy; stronę w wynikach wyszukiwania "+
					"kliknięto 22\u00a0razy. Na Facebooku i Instagramie masz 192\u00a0obserwujących, o 12 więcej niż "+
					"miesiąc wcześniej. Audyt daje profilowi 72,5 na 100 punktów, a najwięcej, bo 12, zyskasz tak: "+
					"„Dodaj opis firmy”.", "od=2026-11-01&do=2026-11-30"),
			text(jan.Email, "listopada 2026", second.Name, "Na Facebooku masz 2\u00a0obserwujących.",
				"od=2026-11-01&do=2026-11-30"),
		}
		december := []string{text(jan.Email, "grudnia 2026", second.Name,
			"Na Facebooku masz 1\u00a0obserwującego, o 1 mniej niż miesiąc wcześniej.", "od=2026-12-01&do=2026-12-31")}
		for _, step := range []struct {
			name, at string
			do       func()
			want     []string
		}{
			{"before the morning of the third", "2026-12-03T06:59:00Z", nil, nil},
			{"on the third", "2026-12-03T07:00:00Z", nil, november},
			{"once", "2026-12-04T07:00:00Z", nil, nil},
			{"next month, without new figures of one", "2027-01-05T07:00:00Z", func() {
				followers(second, provider.SocialPages, "2026-12-31", 1)
			}, december},
			{"not to those who join later", "2027-01-10T07:00:00Z", func() {
				a.AddUser("maj", account.Member, &second)
			}, nil},
			{"not without figures", "2027-02-03T07:00:00Z", nil, nil},
		} {
			at, err := time.Parse(time.RFC3339, step.at)
			ok(err)
			a.Clock.Pass(at.Sub(a.Clock.Now()))
			replica.Clock.Pass(at.Sub(replica.Clock.Now()))
			if step.do != nil {
				step.do()
			}
			schedule := func(tx *gorm.DB) error { return jobs.New(a.DB).Insert(tx, jobs.Schedule{}) }
			ok(a.DB.Transaction(t.Context(), schedule))
			var working sync.WaitGroup
			working.Go(a.Work)
			working.Go(replica.Work)
			working.Wait()
			if diff := cmp.Diff(step.want, sent()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", step.name, diff)
			}
		}
	})
}
