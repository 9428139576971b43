package erasure

import (
	"context"
	"errors"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// DeletionPath is where a person sees the state of a deletion; its code follows.
const DeletionPath = "/konto/usuniecie-danych/"

const reasonDeauthorized = "Facebook cofnął nam dostęp. Połącz konto ponownie."

// before is the last moment of the second in which a request was made. It does not concern
// what was granted later.
func before(requested time.Time) time.Time { return requested.Add(time.Second - time.Microsecond) }

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
		if err := s.deauthorize(ctx, actor, k, before(r.IssuedAt)); err != nil {
			return err
		}
	}
	return nil
}

// deauthorize ends a connection, if there is one, whose grant has ended at the provider. One
// granted later than until stays.
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
	err = s.savePending(ctx, pendingDeletion{Code: r.Digest, Provider: p, PersonID: r.PersonID, RequestID: requestID,
		RequestedAt: r.IssuedAt})
	return Deletion{Code: r.Digest, RequestedAt: r.IssuedAt}, address, err
}

// CarryOut does what DeleteData has stored, in any replica and after any restart: it ends
// what the person granted, and takes the person out of every row. What fails stays stored.
func (s *Service) CarryOut(ctx context.Context) error {
	all, err := s.pendingDeletions(ctx)
	for _, p := range all {
		err = errors.Join(err, s.carryOut(ctx, p))
	}
	return err
}

// carryOut logs the deletion first, also if the person has granted nothing: a restored
// backup may contain an earlier connection. It does not withdraw grants, because the
// request comes from the provider. Without a log it waits, and its job fails until there is one.
func (s *Service) carryOut(ctx context.Context, p pendingDeletion) error {
	person, until := Person{p.Provider, p.PersonID}, before(p.RequestedAt)
	if s.Erased == nil {
		return CodeNoErasureLog.Fault()
	}
	if err := s.Erased.Append(OfPerson(person, until)); err != nil {
		return err
	}
	keys, err := s.grantedByPerson(ctx, person)
	if err != nil {
		return err
	}
	if err = s.deleteRead(ctx, keys, until); err != nil {
		return err
	}
	actor := account.Actor{Name: string(p.Provider), RequestID: p.RequestID}
	for _, k := range keys {
		if err := s.forgetOne(ctx, actor, k, until, false); err != nil {
			return err
		}
	}
	if err := s.Store.ForgetRevocations(ctx, p.Provider, p.PersonID, until); err != nil {
		return err
	}
	return s.finish(ctx, p)
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
	return r, s.limits.Take(ctx, s.Now(), CodeTooManyRequests, ofPerson)
}
