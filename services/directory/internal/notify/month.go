package notify

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/riverqueue/river"
	"gorm.io/gorm"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/site"
)

const (
	// The month before is written about from firstDay, when most of its figures have come, to
	// lastDay, while they are news.
	firstDay, lastDay = 3, 9
	// morning is when a day begins for e-mails.
	morning = 8 * time.Hour
	// atOnce leaves workers to the e-mails that people wait for; the next ones follow a minute later.
	atOnce = 100
	// delay is how many days before the end of a month its newest figures may be.
	delay = 10

	monthLayout = "2006-01"
)

// Schedule inserts the jobs that write about the last month, and marks the people in the same
// transaction, so that each gets one.
func (s *Service) Schedule(tx *gorm.DB) error {
	today := site.Day(s.Now().Add(-morning))
	if s.Send == nil || today.Day() < firstDay || today.Day() > lastDay {
		return nil
	}
	month := today.AddDate(0, 0, -today.Day()).Format(monthLayout)
	users, err := account.TakeMonth(tx, month, atOnce)
	if err != nil {
		return err
	}
	mails := make([]river.JobArgs, len(users))
	for i, u := range users {
		mails[i] = jobs.MonthlyMail{UserID: u.ID, CompanyID: *u.CompanyID, Month: month}
	}
	return jobs.New(s.Store.DB).Ensure(tx, mails...)
}

// SendMonth writes to a user about a month, unless there are no figures or the user is no
// longer to be notified. SMTP has no way to send once: if the worker is killed after the server has
// accepted the e-mail and before the job has ended, it is sent twice.
func (s *Service) SendMonth(ctx context.Context, job *river.Job[jobs.MonthlyMail]) error {
	firm, err := s.Companies.ByID(ctx, job.Args.CompanyID)
	if fault.Is(err, company.CodeNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	first, err := time.Parse(monthLayout, job.Args.Month)
	if err != nil {
		return err
	}
	m := month{first, first.AddDate(0, 1, -1)}
	sentences, err := s.describe(ctx, firm.ID, m)
	if err != nil || len(sentences) == 0 {
		return err
	}
	address := fmt.Sprintf("%s/konto/statystyki?od=%s&do=%s", s.PublicURL, m.first.Format(time.DateOnly),
		m.last.Format(time.DateOnly))
	text := fmt.Sprintf("%s\n\nWykresy i szczegóły:\n\n%s\n", strings.Join(sentences, " "), address)
	return s.send(ctx, job.Args.UserID, firm, "Podsumowanie "+m.name()+": "+firm.Name, text)
}

// describe returns what the e-mail about a month says; nothing if there are no figures of it.
func (s *Service) describe(ctx context.Context, companyID int64, m month) (sentences []string, err error) {
	visits, err := s.visits(ctx, companyID, m)
	if err != nil {
		return nil, err
	}
	followers, err := s.followers(ctx, companyID, m)
	if err != nil || visits+followers == "" {
		return nil, err
	}
	advice, err := s.advice(ctx, companyID)
	isEmpty := func(text string) bool { return text == "" }
	return slices.DeleteFunc([]string{visits, followers, advice}, isEmpty), err
}

type month struct{ first, last time.Time }

// name returns the Polish name in the genitive with the year, as in "listopada 2026".
func (m month) name() string {
	_, name, _ := strings.Cut(site.Date(m.first), "\u00a0")
	return name
}

// isKnown reports whether the figures until a day, such as "2026-10-28", are those of the month.
func (m month) isKnown(until string) bool {
	return until >= m.last.AddDate(0, 0, -delay).Format(time.DateOnly)
}

// visits returns a sentence about how often the company was seen, asked and visited at Google; empty
// if that is not known.
func (s *Service) visits(ctx context.Context, companyID int64, m month) (string, error) {
	profile, err := s.Statistics.Figures(ctx, companyID, m.first, m.last)
	if err != nil {
		return "", err
	}
	search, err := s.Statistics.Search(ctx, companyID)
	if err != nil {
		return "", err
	}
	var views, actions, clicks int
	if profile.Data != nil && m.isKnown(profile.Data.To) {
		for _, day := range profile.Days {
			views += day.Impressions()
			actions += day.Actions()
		}
	}
	if search.Data != nil && m.isKnown(search.Data.To) {
		for _, day := range slices.Concat(search.Data.Earlier, search.Data.Days) {
			if strings.HasPrefix(day.Day, m.first.Format(monthLayout)) {
				clicks += day.Clicks
			}
		}
	}
	var parts []string
	for _, part := range []struct {
		what  string
		times int
	}{
		{"profil firmy w Google wyświetlono", views},
		{"klienci dzwonili, pytali o drogę, pisali lub przechodzili z niego na stronę", actions},
		{"stronę w wynikach wyszukiwania kliknięto", clicks},
	} {
		if part.times > 0 {
			parts = append(parts, part.what+" "+site.Plural(part.times, "raz", "razy", "razy"))
		}
	}
	if len(parts) == 0 {
		return "", nil
	}
	return "W ciągu " + m.name() + " " + strings.Join(parts, "; ") + ".", nil
}

// followers says how many there were at the end of the month, and how many more than before it.
func (s *Service) followers(ctx context.Context, companyID int64, m month) (string, error) {
	_, page, err := s.Social.PageStatistics(ctx, companyID)
	if err != nil {
		return "", err
	}
	_, photos, err := s.Social.PhotoStatistics(ctx, companyID)
	if err != nil {
		return "", err
	}
	var places []string
	var count, change int
	compared := true // whether each channel also had followers before the month
	for _, channel := range []struct {
		place  string
		points []statistics.Point
	}{{"Facebooku", page}, {"Instagramie", photos}} {
		before, hasBefore := newest(channel.points, m.first.AddDate(0, 0, -delay), m.first.AddDate(0, 0, -1))
		end, found := newest(channel.points, m.first, m.last)
		if !found {
			continue
		}
		places = append(places, channel.place)
		count += end.Count
		change += end.Count - before.Count
		compared = compared && hasBefore
	}
	if len(places) == 0 {
		return "", nil
	}
	text := "Na " + strings.Join(places, " i ") + " masz " +
		site.Plural(count, "obserwującego", "obserwujących", "obserwujących")
	switch {
	case !compared:
	case change > 0:
		text += ", o " + site.Count(change) + " więcej niż miesiąc wcześniej"
	case change < 0:
		text += ", o " + site.Count(-change) + " mniej niż miesiąc wcześniej"
	default:
		text += ", tyle samo co miesiąc wcześniej"
	}
	return text + ".", nil
}

// newest returns the last of the readings, oldest first, from one day to another.
func newest(points []statistics.Point, first, last time.Time) (statistics.Point, bool) {
	for _, p := range slices.Backward(points) {
		if day := site.Day(p.At); !day.After(last) {
			return p, !day.Before(first)
		}
	}
	return statistics.Point{}, false
}

// advice returns a sentence about the newest audit; empty if there is none.
func (s *Service) advice(ctx context.Context, companyID int64) (string, error) {
	_, newest, err := s.Audits.Latest(ctx, audit.CompanyRef{ID: &companyID})
	if fault.Is(err, audit.CodeNoAudit) || fault.Is(err, company.CodeNotFound) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	text := "Audyt daje profilowi " + site.Figure(newest.Score) + " na 100 punktów"
	if len(newest.Recommendations) > 0 && newest.Recommendations[0].Points > 0 {
		step := newest.Recommendations[0]
		text += ", a najwięcej, bo " + site.Figure(step.Points) + ", zyskasz tak: „" +
			strings.TrimSuffix(step.Text, ".") + "”"
	}
	return text + ".", nil
}
