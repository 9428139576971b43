package scan

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/directory/internal/trail"
	"backend.example/services/internal/kit/fault"
)

// pause stops the scan of everything at a provider, of one API of it, or of one connection: a row of
// scan_pauses. The row stays after its end, until a success, so that the next pause is longer.
type pause struct {
	Provider     provider.Name    `gorm:"primaryKey"`
	Service      provider.Service `gorm:"primaryKey"` // empty for the whole provider
	ConnectionID int64            `gorm:"primaryKey;autoIncrement:false"`
	Until        time.Time
	Seconds      int64 // of this pause and those before it, without a success since
}

// TableName implements gorm's schema.Tabler.
func (pause) TableName() string { return "scan_pauses" }

func (p pause) row(tx *gorm.DB) *gorm.DB {
	return tx.Where("provider = ? AND service = ? AND connection_id = ?", p.Provider, p.Service, p.ConnectionID)
}

// concerns is the SQL condition that joins pauses p with the connections t that they stop.
const concerns = "p.provider = t.provider AND p.service IN ('', t.service) AND p.connection_id IN (0, t.id)"

const (
	shortestPause = time.Minute
	longestPause  = 24 * time.Hour
	// longestOfAll is the longest pause after a refusal of everybody. It is shorter, because only one
	// connection is tried after each pause.
	longestOfAll = time.Hour
	// streakLimit is how many temporary failures of a provider in a row begin a pause.
	streakLimit = 5
)

// pausesFor returns what a refusal of c pauses: everything at the provider after a limit of the app,
// the service after a limit of its API or an app-wide failure, otherwise the connections to the same
// page or, with a user's token, those of the same user.
func (s *Service) pausesFor(ctx context.Context, c connection.Connection, at step, err error) ([]pause, error) {
	p := c.Pair.Provider
	if provider.IsAPILimit(err) || fault.Is(err, provider.CodeOperator) {
		return []pause{{Provider: p, Service: c.Pair.Service}}, nil
	}
	if !fault.Is(err, provider.CodeThrottled) || provider.IsAppLimit(err) {
		return []pause{{Provider: p}}, nil
	}
	var list []pause
	query := s.DB.Read(ctx).Table("oauth_tokens").Select("provider, service, id AS connection_id").Where("is_active")
	if c.ProviderUserID == "" {
		query = query.Where("id = ?", c.ID)
	} else {
		query = query.Where("provider = ? AND provider_user_id <> '' AND provider_user_id = ?", p, c.ProviderUserID)
	}
	if c.Chosen == connection.ChosenPage && at != renewal {
		query = query.Where("account_id = ?", c.AccountID)
	}
	err = query.Scan(&list).Error
	return list, err
}

// extend makes p run from now on for as long as the refusal says. If it does not say how long, p runs
// for as long as all pauses before it together, so that no pause is longer than its cause has lasted.
// A pause that is already running is only prolonged if the refusal says how long, because calls that
// began before it may fail during it.
func (p *pause) extend(now time.Time, refusal error) (begins bool) {
	said, longest := fault.From(refusal).RetryAfter, longestPause
	if fault.Is(refusal, provider.CodeOperator) {
		longest = longestOfAll
	}
	length := min(max(cmp.Or(said, time.Duration(p.Seconds)*time.Second), shortestPause), longest)
	begins = !p.Until.After(now)
	if begins {
		p.Seconds += int64(length / time.Second)
	}
	if begins || said > 0 {
		p.Until = database.Instant(now.Add(length))
	}
	return begins
}

// begin stores and logs the pauses for a refusal of c.
func (s *Service) begin(ctx context.Context, c connection.Connection, at step, refusal error) error {
	list, err := s.pausesFor(ctx, c, at, refusal)
	if err != nil {
		return err
	}
	now := s.DB.Now()
	for _, p := range list {
		begins := false
		err := s.DB.Transaction(ctx, func(tx *gorm.DB) error {
			if err := s.DB.Queue(tx, "pause "+string(p.Provider)); err != nil {
				return err
			}
			forgotten := tx.Where("until < ?", database.Instant(now.Add(-longestPause)))
			if err := forgotten.Delete(&pause{}).Error; err != nil {
				return err
			}
			if err := p.row(tx).Limit(1).Find(&p).Error; err != nil {
				return err
			}
			begins = p.extend(now, refusal)
			return tx.Clauses(clause.OnConflict{UpdateAll: true}).Create(&p).Error
		})
		if err != nil {
			return err
		}
		if begins {
			s.Log.WarnContext(ctx, "pause begins", "provider", p.Provider, "service", p.Service,
				"whole", p.ConnectionID == 0, "company", c.CompanyID, "until", p.Until)
		}
	}
	return nil
}

// failed counts and logs a failure of a step, and pauses what it concerns. The step is not done if
// it has to be repeated after the pause, or if the provider did not cause the failure: it was not
// called, or the time limit passed while the database was waited for.
func (r *run) failed(ctx context.Context, c connection.Connection, at step, err error) (done, paused bool) {
	if errors.Is(err, provider.ErrNoTurn) {
		return false, false
	}
	timedOut := errors.Is(context.Cause(ctx), errTimeLimit)
	deadline, limited := ctx.Deadline()
	stoodStill := limited && provider.StoodStill(deadline)
	if ctx.Err() != nil && !timedOut {
		return false, false
	}
	ctx = context.WithoutCancel(ctx)
	r.fail(ctx, c.CompanyID, string(at)+" "+c.Pair.String(), err)
	throttled, temporary := fault.Is(err, provider.CodeThrottled), fault.Is(err, provider.CodeTemporary)
	if timedOut && !throttled && !temporary {
		return false, false
	}
	if temporary && (stoodStill || errors.Is(err, provider.ErrStoodStill)) { // the provider may have answered
		return false, false
	}
	if !temporary {
		r.streak.end(c.Pair.Provider)
	}
	outage := temporary && r.streak.add(c.Pair.Provider)
	if !throttled && !outage && !r.isAppWide(ctx, c, at, err) {
		return true, false
	}
	if err := r.begin(ctx, c, at, err); err != nil {
		r.fail(ctx, c.CompanyID, "pause "+c.Pair.String(), err)
	}
	return !throttled, true
}

// isAppWide reports whether a refusal belongs to an app-wide failure. Renewals may be refused while
// everything can be read.
func (r *run) isAppWide(ctx context.Context, c connection.Connection, at step, err error) bool {
	if at == renewal || !fault.Is(err, provider.CodeOperator) {
		return false
	}
	open, err := r.Connections.Incidents.Open(ctx, c.Pair.Provider)
	if err != nil {
		r.Log.ErrorContext(ctx, "app-wide failures not read", "provider", c.Pair.Provider, "error", err)
	}
	return open
}

// succeeded deletes the pauses of a provider and of services that had run out when the work began, so
// that the next one is short again.
func (s *Service) succeeded(ctx context.Context, name provider.Name, begin time.Time, services ...provider.Service) {
	s.streak.end(name)
	var over []pause
	err := s.DB.Read(ctx).Where("provider = ? AND service IN ? AND connection_id = 0", name, append(services, "")).
		Where("until <= ?", database.Instant(begin)).Find(&over).Error
	for _, p := range over {
		result := p.row(s.DB.Write(ctx)).Where("until <= ?", database.Instant(s.DB.Now())).Delete(&pause{})
		err = errors.Join(err, result.Error)
		if result.RowsAffected > 0 {
			s.Log.InfoContext(ctx, "pause ends", "provider", p.Provider, "service", p.Service)
		}
	}
	if err != nil {
		s.Log.WarnContext(ctx, "end of a pause not stored", "provider", name, "error", err)
	}
}

// streak counts the temporary failures of each provider in a row.
type streak struct {
	mu     sync.Mutex
	failed map[provider.Name]int
}

// add reports whether the failure is the last one of a streak, which is an outage then.
func (s *streak) add(p provider.Name) (isLast bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed[p] = (s.failed[p] + 1) % streakLimit
	return s.failed[p] == 0
}

func (s *streak) end(p provider.Name) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed[p] = 0
}

// Pause is what scans leave out until a time: everything at a provider, a service of it, or a
// connection.
type Pause struct {
	Provider  provider.Name
	Service   provider.Service // empty if it is not one service
	CompanyID int64            // 0 if it is no single connection
	Until     time.Time
}

// Pauses lists the pauses at this moment, those of providers and services first.
func (s *Service) Pauses(ctx context.Context) (list []Pause, err error) {
	err = s.DB.Read(ctx).Table("scan_pauses p").Select("p.provider, p.service, t.company_id, p.until").
		Joins("LEFT JOIN oauth_tokens t ON t.id = p.connection_id").
		Where("p.until > ? AND (t.is_active OR p.connection_id = 0)", database.Instant(s.DB.Now())).
		Order("COALESCE(t.company_id, 0), p.provider, p.service, p.until").Scan(&list).Error
	return list, err
}

// Lift ends all pauses at a provider, and returns their number. The jobs that wait for the end
// of a pause look again at once.
func (s *Service) Lift(ctx context.Context, by trail.Entry, p provider.Name) (n int64, err error) {
	now := database.Instant(s.DB.Now())
	err = s.DB.Transaction(ctx, func(tx *gorm.DB) error {
		lifted := tx.Where("provider = ? AND until > ?", p, now).Delete(&pause{})
		if n = lifted.RowsAffected; lifted.Error != nil || n == 0 {
			return lifted.Error
		}
		if err := s.queue.Hurry(tx, jobs.Sync{}.Kind()); err != nil {
			return err
		}
		by.Action, by.Pair.Provider = "pause lift", p
		return trail.Record(tx, by)
	})
	if err != nil || n == 0 {
		return n, err
	}
	s.Log.InfoContext(ctx, "pauses lifted", "provider", p, "pauses", n)
	return n, nil
}
