package directory

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"time"

	"backend.example/services/internal/kit/fault"
)

var auditNow = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// auditShelf is an AuditStore and the two sources in memory. calls lists what
// was asked of it and has an effect, in order.
type auditShelf struct {
	companies  map[int64]Company
	profile    *Profile // as last fetched
	connection Connection
	audits     []Audit
	uses       map[string][]time.Time
	calls      []string
	saveErr    error // of SaveProfile
	auditErr   error // of SaveAudit
	profileErr error // of Profile
	limitErr   error

	location    Profile
	locationErr error
	place       Profile
	placeErr    error
	noKey       bool
	asked       Company // last argument of FindPlace
	during      func()  // runs while a source is read
}

func (s *auditShelf) Company(_ context.Context, id int64) (Company, error) {
	if c, ok := s.companies[id]; ok {
		return c, nil
	}
	return Company{}, fault.New(fault.NotFound, "no_company", "Nie znaleziono firmy.")
}

func (s *auditShelf) CompanyBySlug(ctx context.Context, slug string) (Company, error) {
	for id, c := range s.companies {
		if c.Slug == slug {
			return s.Company(ctx, id)
		}
	}
	return s.Company(ctx, 0)
}

func (s *auditShelf) SetPlaceID(_ context.Context, id int64, placeID string) error {
	s.calls = append(s.calls, "set place "+placeID)
	c := s.companies[id]
	c.PlaceID = placeID
	s.companies[id] = c
	return nil
}

func (s *auditShelf) Connection(_ context.Context, _ int64, p Pair) (Connection, error) {
	if s.connection.Pair != p {
		return Connection{}, noConnection()
	}
	return s.connection, nil
}

func (s *auditShelf) Profile(context.Context, int64) (Profile, error) {
	if s.profile == nil && s.profileErr == nil {
		return Profile{}, fault.New(fault.NotFound, "no_profile", "Brak.")
	}
	if s.profileErr != nil {
		return Profile{}, s.profileErr
	}
	return *s.profile, nil
}

func (s *auditShelf) SaveProfile(_ context.Context, _ int64, p Profile) error {
	s.calls = append(s.calls, "save profile")
	if s.saveErr == nil {
		s.profile = &p
	}
	return s.saveErr
}

func (s *auditShelf) SaveAudit(_ context.Context, a *Audit) error {
	s.calls = append(s.calls, "save audit")
	a.ID = int64(len(s.audits) + 1)
	s.audits = append(s.audits, *a)
	return s.auditErr
}

func (s *auditShelf) LatestAudit(_ context.Context, companyID int64) (Audit, error) {
	for _, a := range slices.Backward(s.audits) {
		if a.CompanyID == companyID {
			return a, nil
		}
	}
	return Audit{}, fault.New(fault.NotFound, "no_audit", "Brak audytu dla tej firmy.")
}

func (s *auditShelf) AuditHistory(_ context.Context, companyID, before int64, n int) (list []Audit, err error) {
	for _, a := range slices.Backward(s.audits) {
		if a.CompanyID == companyID && (before == 0 || a.ID < before) && len(list) < n {
			list = append(list, a)
		}
	}
	return list, nil
}

func (s *auditShelf) TakeLimits(_ context.Context, limits []Limit, now time.Time) (LimitState, error) {
	l := limits[0]
	if s.limitErr != nil {
		return LimitState{}, s.limitErr
	}
	subject := l.Kind + " " + l.Subject
	s.uses[subject] = slices.DeleteFunc(s.uses[subject], func(used time.Time) bool { return !used.After(now.Add(-l.Window)) })
	if in := s.uses[subject]; len(in) >= l.Max {
		return LimitState{RetryAfter: in[0].Add(l.Window).Sub(now)}, nil
	}
	s.calls = append(s.calls, "limit")
	s.uses[subject] = append(s.uses[subject], now)
	return LimitState{OK: true, Left: l.Max - len(s.uses[subject])}, nil
}

func (s *auditShelf) PeekLimit(_ context.Context, l Limit, now time.Time) (LimitState, error) {
	used := 0
	for _, at := range s.uses[l.Kind+" "+l.Subject] {
		if at.After(now.Add(-l.Window)) {
			used++
		}
	}
	return LimitState{OK: used < l.Max, Left: l.Max - used}, s.limitErr
}

func (s *auditShelf) ReadChosen(context.Context, int64) (Profile, error) {
	s.calls = append(s.calls, "read location")
	s.disturb()
	return s.location, s.locationErr
}

func (s *auditShelf) FindPlace(_ context.Context, c Company) (Profile, error) {
	s.calls, s.asked = append(s.calls, "find place"), c
	s.disturb()
	return s.place, s.placeErr
}

func (s *auditShelf) disturb() {
	if s.during != nil {
		s.during()
	}
}

// newShelf holds an active company 1 ("piekarnia"), connected and with a key, and
// an archived one 2 ("dawna").
func newShelf() *auditShelf {
	return &auditShelf{
		companies: map[int64]Company{
			1: {ID: 1, Name: "Piekarnia Kowalski", Slug: "piekarnia", Status: CompanyStatusActive, Phone: "12 421 00 12", LogoURL: "https://p.example/l.png"},
			2: {ID: 2, Name: "Dawna Księgarnia", Slug: "dawna", Status: "archived"},
		},
		uses: map[string][]time.Time{},
		connection: Connection{
			Pair: profilePair, Active: true, Chosen: ChosenLocation, AccountID: "locations/5", UpdatedAt: auditNow.Add(-30 * 24 * time.Hour),
		},
		location: fullLocation(),
		place:    fullPlace(),
	}
}

func (s *auditShelf) audits1() *Audits { return s.auditsAt(func() time.Time { return auditNow }) }

func (s *auditShelf) auditsAt(now func() time.Time) *Audits {
	find := s.FindPlace
	if s.noKey {
		find = nil
	}
	return NewAudits(s, s, find, now, slog.New(slog.DiscardHandler))
}

// fullProfile is complete in every field.
func fullProfile() Profile {
	p := fullLocation()
	place := fullPlace()
	p.complete(&place)
	return p
}

// fullLocation is complete in all fields that a location can tell.
func fullLocation() Profile {
	return Profile{
		Source: FromBusinessProfile, PlaceID: "place-1", FetchedAt: auditNow,
		Tells: []Field{FieldName, FieldAddress, FieldPhone, FieldWebsite, FieldHours, FieldCategories, FieldDescription, FieldServices},
		Name:  "Piekarnia Kowalski", Address: "ul. Floriańska 12, 31-021 Kraków", Phone: "+48 12 421 00 12",
		Website: "https://piekarnia-kowalski.example/", Description: strings.Repeat("ż", 250),
		Hours:      []string{"poniedziałek: 06:00–18:00", "wtorek: 06:00–18:00", "środa: 06:00–18:00", "czwartek: 06:00–18:00", "piątek: 06:00–18:00"},
		Categories: []string{"Piekarnia", "Cukiernia", "Kawiarnia"},
		Services:   []string{"Chleb", "Bułki", "Torty", "Ciasta", "Kawa"},
	}
}

// fullPlace is complete in all fields that a place can tell.
func fullPlace() Profile {
	p := fullLocation()
	p.Source, p.PhotoCount, p.ReviewCount, p.AverageRating = FromPlaces, 10, 128, 4.6
	p.Description, p.Services = "", nil
	p.Tells = []Field{FieldName, FieldAddress, FieldPhone, FieldWebsite, FieldHours, FieldCategories, FieldPhotos, FieldReviews}
	return p
}
