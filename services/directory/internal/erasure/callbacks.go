package erasure

import (
	"context"
	"errors"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/database"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// DeletionPath is where a person sees the state of a deletion; its code follows.
const DeletionPath = "/konto/usuniecie-danych/"

const reasonDeauthorized = "Facebook cofnął nam dostęp. Połącz konto ponownie."

// lastMoment returns the end of the second in which a request was made: providers give its time without
// fractions. What was granted later is not concerned.
func lastMoment(requested time.Time) time.Time { return requested.Add(time.Second - time.Microsecond) }

// Deletion is a request of a provider to delete a person's data: a row of data_deletions.
type Deletion struct {
	Code        string `gorm:"primaryKey"` // by which the person asks for its state
	RequestedAt time.Time
	DeletedAt   *time.Time // nil until it is carried out, when the fields below are emptied
	Provider    provider.Name
	PersonID    string
	RequestID   string
}

// TableName implements gorm's schema.Tabler.
func (Deletion) TableName() string { return "data_deletions" }

// waiting selects the deletions that are not carried out.
const waiting = "deleted_at IS NULL"

// Deletion returns the deletion of a code, or the fault no_deletion.
func (s *Service) Deletion(ctx context.Context, code string) (d Deletion, err error) {
	err = s.Store.Read(ctx).Where("code = ?", code).Take(&d).Error
	return d, database.NotFound(err, CodeNoDeletion)
}

// Deauthorize ends the connections that were granted by the person of a provider's
// signed request, who has removed the app from their account. The faults are
// invalid_request, not_configured and too_many_requests.
func (s *Service) Deauthorize(ctx context.Context, requestID string, p provider.Name, signed string) error {
	r, err := s.readRequest(ctx, p, signed)
	if err != nil {
		return err
	}
	keys, err := s.grantedByPerson(ctx, Person{p, r.PersonID})
	if err != nil {
		return err
	}
	actor := account.Actor{Name: string(p), RequestID: requestID}
	for _, k := range keys {
		if err := s.deauthorize(ctx, actor, k, lastMoment(r.IssuedAt)); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) deauthorize(ctx context.Context, actor account.Actor, k key, until time.Time) error {
	held, err := s.Store.Hold(ctx, k.CompanyID, k.Pair)
	if fault.Is(err, connection.CodeNoConnection) {
		return nil
	}
	if err != nil {
		return err
	}
	defer held.Release()
	if !held.Active || held.ConnectedAt.After(until) {
		return nil
	}
	held.End()
	held.ReconnectReason = reasonDeauthorized
	return held.Save(s.entryAbout(actor, "deauthorize", k, held.UserID))
}

// DeleteData stores a request to delete a person's data, which CarryOut does: it waits for
// no connection, lock or file. It returns the address at which the person sees the state. A
// repeated request is the same deletion.
func (s *Service) DeleteData(ctx context.Context, requestID string, p provider.Name, signed string) (d Deletion,
	address string, err error) {
	r, err := s.readRequest(ctx, p, signed)
	if err != nil {
		return d, "", err
	}
	address = s.PublicURL + DeletionPath + r.Digest
	if d, err = s.Deletion(ctx, r.Digest); !fault.Is(err, CodeNoDeletion) {
		return d, address, err
	}
	d = Deletion{Code: r.Digest, RequestedAt: database.Instant(r.IssuedAt), Provider: p, PersonID: r.PersonID,
		RequestID: requestID}
	err = s.Store.Transaction(ctx, func(tx *gorm.DB) error {
		if err := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&d).Error; err != nil {
			return err
		}
		return jobs.New(s.Store.DB).Insert(tx, jobs.Deletions{})
	})
	return d, address, err
}

// CarryOut does what DeleteData has stored, in any replica and after any restart: it ends
// what the person granted, and takes the person out of every row. What fails stays stored.
func (s *Service) CarryOut(ctx context.Context) error {
	var all []Deletion
	err := s.Store.Read(ctx).Where(waiting).Order("requested_at").Find(&all).Error
	for _, d := range all {
		err = errors.Join(err, s.carryOut(ctx, d))
	}
	return err
}

// carryOut logs the deletion also if the person has granted nothing: a restored backup may contain
// an earlier connection. Grants are not withdrawn, because the request comes from the provider.
func (s *Service) carryOut(ctx context.Context, d Deletion) error {
	person, until := Person{d.Provider, d.PersonID}, lastMoment(d.RequestedAt)
	if s.Erased == nil {
		return CodeNoErasureLog.Fault()
	}
	if err := s.Erased.Append(OfPerson(person, until)); err != nil {
		return err
	}
	actor := account.Actor{Name: string(d.Provider), RequestID: d.RequestID}
	if err := s.person(ctx, actor, person, until, false); err != nil {
		return err
	}
	if err := s.Store.ForgetRevocations(ctx, d.Provider, d.PersonID, until); err != nil {
		return err
	}
	return s.Store.Transaction(ctx, func(tx *gorm.DB) error {
		done := map[string]any{"deleted_at": tx.NowFunc(), "provider": "", "person_id": "", "request_id": ""}
		if err := tx.Model(&d).Where(waiting).UpdateColumns(done).Error; err != nil {
			return err
		}
		return s.requestPurge(tx)
	})
}

// readRequest reads a signed request, of which a person may make 20 in an hour.
func (s *Service) readRequest(ctx context.Context, p provider.Name, signed string) (r provider.PersonRequest,
	err error) {
	if p != provider.Social || !s.Meta.Configured() {
		return r, connection.CodeNotConfigured.Fault()
	}
	if r, err = s.Meta.ReadRequest(signed); err != nil {
		return r, err
	}
	ofPerson := limit.Limit{Kind: "person_request", Subject: r.PersonID, Max: 20, Window: time.Hour}
	return r, limit.New(s.Store.DB).Take(ctx, s.Store.Now(), CodeTooManyRequests, ofPerson)
}
