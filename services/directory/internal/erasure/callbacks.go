package erasure

import (
	"context"
	"errors"
	"time"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/provider"
)

// DeletionPath is where a person sees the state of a deletion; its code follows.
const DeletionPath = "/konto/usuniecie-danych/"

const reasonDeauthorized = "Dostęp aplikacji został usunięty w ustawieniach konta. Połącz konto ponownie."

// request is a signed request and the person on whose behalf it was made.
type request struct {
	provider.PersonRequest
	person Person
}

// before is the last moment of the second in which the request was made. It does not
// concern what was granted later.
func (r request) before() time.Time { return r.IssuedAt.Add(time.Second - time.Microsecond) }

// Deauthorize ends the connections that were granted by the person of a provider's
// signed request, who has removed the app from their account. The faults are
// invalid_request, not_configured and too_many_requests.
func (s *Service) Deauthorize(ctx context.Context, requestID string, p provider.Name, signed string) error {
	r, keys, err := s.readRequest(ctx, p, signed)
	if err != nil {
		return err
	}
	_, err = s.end(ctx, account.Actor{Name: string(p), RequestID: requestID}, "deauthorize", keys, func(c *connection.Connection) bool {
		if !c.Active || c.ConnectedAt.After(r.before()) {
			return false
		}
		c.End()
		c.ReconnectReason = reasonDeauthorized
		return true
	})
	return err
}

// DeleteData is Deauthorize, and takes the person out of every row. It returns the
// address at which the person sees the state. A repeated request is the same deletion.
func (s *Service) DeleteData(ctx context.Context, requestID string, p provider.Name, signed string) (d Deletion, address string, err error) {
	r, keys, err := s.readRequest(ctx, p, signed)
	if err != nil {
		return d, "", err
	}
	if len(keys) > 0 {
		err = s.deleteGranted(ctx, account.Actor{Name: string(p), RequestID: requestID}, r, keys)
	}
	if err == nil {
		d = Deletion{Code: r.Digest, RequestedAt: r.IssuedAt, DeletedAt: s.Now()}
		err = s.SaveDeletion(ctx, d)
	}
	return d, s.PublicURL + DeletionPath + d.Code, err
}

// deleteGranted does not withdraw grants, because the request comes from the provider. It
// is required by law even if no log can record it.
func (s *Service) deleteGranted(ctx context.Context, actor account.Actor, r request, keys []key) error {
	remove := func() error {
		_, err := s.end(ctx, actor, "erase", keys, func(c *connection.Connection) bool { return forgetBefore(c, r.before()) })
		return err
	}
	if s.Erased != nil {
		return s.logged(ctx, OfPerson(r.person, r.before()), remove)
	}
	s.Log.WarnContext(ctx, "a person was erased without a log of erasures: a restored backup holds them again", "request_id", actor.RequestID)
	return errors.Join(remove(), s.requestPurge(ctx))
}

// readRequest reads a signed request and lists what its person has granted.
func (s *Service) readRequest(ctx context.Context, p provider.Name, signed string) (r request, keys []key, err error) {
	if r.PersonRequest, err = s.Connections.ReadRequest(p, signed); err != nil {
		return r, nil, err
	}
	r.person = Person{Provider: p, ID: r.PersonID}
	ofPerson := limit.Limit{Kind: "person_request", Subject: r.person.ID, Max: 20, Window: time.Hour}
	if err := s.limits.Take(ctx, s.Now(), CodeTooManyRequests, ofPerson); err != nil {
		return r, nil, err
	}
	keys, err = s.grantedByPerson(ctx, r.person)
	return r, keys, err
}
