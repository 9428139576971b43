package statistics

import (
	"context"
	"time"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/google"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// The codes of syncing the figures of a location.
var (
	CodeNoLocation = fault.NewCode(fault.NotFound, "no_location", "Najpierw wybierz lokalizację firmy.")
	// CodeNoFigures is a location for which the provider has no figures.
	CodeNoFigures = fault.NewCode(fault.NotFound, "no_figures",
		"Google nie udostępnia statystyk wybranej lokalizacji. Sprawdź, czy profil firmy jest zweryfikowany i czy "+
			"zarządza nim połączone konto.")
)

// summed is how many days are added up, and how many a sync reads again, because figures arrive late.
const summed = 28

// Performance is the result of a sync: the last 28 days that have figures, and their sums.
type Performance struct {
	google.Performance
	From        string    `json:"from"` // first and last day, e.g. "2026-11-20"; empty without figures
	To          string    `json:"to"`
	Impressions int       `json:"impressions"`
	Calls       int       `json:"calls"`
	Directions  int       `json:"directions"`
	Website     int       `json:"website"`
	Messages    int       `json:"messages"`
	Bookings    int       `json:"bookings"`
	SyncedAt    time.Time `json:"synced_at"`
}

func (d *Performance) sum() {
	d.Days = d.Days[max(0, len(d.Days)-summed):]
	for i, day := range d.Days {
		if d.To = day.Day; i == 0 {
			d.From = day.Day
		}
		d.Impressions += day.Impressions()
		d.Calls += day.Calls
		d.Directions += day.Directions
		d.Website += day.Website
		d.Messages += day.Messages
		d.Bookings += day.Bookings
	}
}

// figuresOfDay is a row of performance_days.
type figuresOfDay struct {
	CompanyID int64  `gorm:"primaryKey;autoIncrement:false"`
	AccountID string `gorm:"primaryKey"`
	google.PerformanceDay
}

// TableName implements gorm's schema.Tabler.
func (figuresOfDay) TableName() string { return "performance_days" }

// SyncPerformance refreshes the figures of the company's chosen location. The faults are
// no_connection, no_location, too_much_work, no_figures and those of the provider.
func (s *Service) SyncPerformance(ctx context.Context, companyID int64) (Performance, error) {
	c, err := s.connections.Chosen(ctx, companyID, provider.ProfilePair, CodeNoLocation)
	if err != nil {
		return Performance{}, err
	}
	if err = s.connections.LimitSync(ctx, companyID, provider.SearchProfile); err != nil {
		return Performance{}, err
	}
	return s.syncPerformance(ctx, c)
}

// ScanPerformance is the sync of the scan. worked is false if the location has no figures.
func (s *Service) ScanPerformance(ctx context.Context, companyID int64) (worked bool, err error) {
	c, err := s.connections.Chosen(ctx, companyID, provider.ProfilePair, CodeNoLocation)
	if err != nil {
		return false, err
	}
	_, err = s.syncPerformance(ctx, c)
	if fault.Is(err, CodeNoFigures) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return true, nil
}

func (s *Service) syncPerformance(ctx context.Context, c connection.Connection) (Performance, error) {
	latest, err := Latest[Performance](ctx, s.db, c.CompanyID, provider.SearchProfile)
	if err != nil {
		return Performance{}, err
	}
	known := latest.AccountID == c.AccountID && latest.Data != nil
	q := google.PerformanceQuery{Location: c.AccountID}
	if known && latest.Data.To != "" {
		to, err := time.Parse(time.DateOnly, latest.Data.To)
		if err != nil {
			return Performance{}, err
		}
		q.From = to.AddDate(0, 0, 1-summed)
	}
	if known && len(latest.Data.Keywords) > 0 {
		q.Month = latest.Data.Month
	}
	read, err := s.readPerformance(ctx, c, q)
	if err != nil {
		return Performance{}, err
	}
	if known && len(read.Keywords) == 0 { // the keywords of a month come some days after its end
		read.Month, read.Keywords = latest.Data.Month, latest.Data.Keywords
	}
	days := make([]figuresOfDay, len(read.Days))
	for i, day := range read.Days {
		days[i] = figuresOfDay{c.CompanyID, read.Location, day}
	}
	data := Performance{Performance: read, SyncedAt: s.db.Now()}
	data.sum()
	return data, save(ctx, s.db, Reading[Performance]{
		CompanyID: c.CompanyID, Service: provider.SearchProfile, AccountID: data.Location, Count: data.Impressions,
		Data: &data, SyncedAt: data.SyncedAt,
	}, days)
}

// readPerformance leaves a missing permission to the reading of the location itself.
func (s *Service) readPerformance(ctx context.Context, c connection.Connection, q google.PerformanceQuery) (
	google.Performance, error,
) {
	read, err := connection.UseOptional(ctx, s.connections, c,
		func(ctx context.Context, token, location string) (google.Performance, error) {
			if location != q.Location {
				return google.Performance{}, connection.CodeConnectionChanged.Fault()
			}
			return s.client.ReadPerformance(ctx, token, q)
		})
	if fault.Is(err, provider.CodeGone) {
		err = CodeNoFigures.Wrap(err)
	}
	s.connections.NoteRead(ctx, c, provider.SearchProfile, c.AccountName, err)
	return read, err
}

// Figures are what is stored of a company's location.
type Figures struct {
	Reading[Performance]                         // the last sync; without Data if there was none
	Days                 []google.PerformanceDay // oldest first
}

// Figures returns the days from first to last of the location that was synced last.
func (s *Service) Figures(ctx context.Context, companyID int64, first, last time.Time) (f Figures, err error) {
	f.Reading, err = Latest[Performance](ctx, s.db, companyID, provider.SearchProfile)
	if err != nil || f.Data == nil {
		return f, err
	}
	err = s.db.Read(ctx).Model(&figuresOfDay{}).
		Where("company_id = ? AND account_id = ? AND day BETWEEN ? AND ?", companyID, f.AccountID,
			first.Format(time.DateOnly), last.Format(time.DateOnly)).Order("day").Find(&f.Days).Error
	return f, err
}

// Series returns one figure of each day, for example that of PerformanceDay.Impressions.
func (f Figures) Series(value func(google.PerformanceDay) int) []Point {
	var points []Point
	for _, day := range f.Days {
		points = appendDay(points, day.Day, value(day))
	}
	return points
}
