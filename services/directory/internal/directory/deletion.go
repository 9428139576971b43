package directory

import (
	"context"
	"errors"
	"time"

	"backend.example/services/directory/internal/limit"
	"backend.example/services/directory/internal/provider"
)

// personRequest is a signed request and the person on whose behalf it was made.
type personRequest struct {
	provider.PersonRequest
	person Person
}

// before is the last moment of the second in which the request was made. What was
// granted later is not meant.
func (r personRequest) before() time.Time { return r.IssuedAt.Add(time.Second - time.Microsecond) }

// Deletion is a request to delete somebody's data that was carried out.
type Deletion struct {
	Code        string // by which the person asks for its state
	RequestedAt time.Time
	DeletedAt   time.Time
}

// DeletionPath is where a person sees the state of a deletion; its code follows.
const DeletionPath = "/konto/usuniecie-danych/"

const (
	personRequests      = 20 // of one person in personRequestWindow
	personRequestWindow = time.Hour

	reasonDeauthorized = "Dostęp aplikacji został usunięty w ustawieniach konta. Połącz konto ponownie."
)

// Deauthorize ends the connections that were granted by the person of a provider's
// signed request, who has taken the app out of their account. The faults are
// invalid_request, not_configured and too_many_requests.
func (e *Erasures) Deauthorize(ctx context.Context, requestID string, p Provider, signed string) error {
	request, keys, err := e.readRequest(ctx, p, signed)
	if err != nil {
		return err
	}
	_, err = e.end(ctx, Actor{Name: string(p), RequestID: requestID}, "deauthorize", keys, func(c *Connection) bool {
		if !c.Active || c.ConnectedAt.After(request.before()) {
			return false
		}
		c.end()
		c.ReconnectReason = reasonDeauthorized
		return true
	})
	return err
}

// DeleteData is Deauthorize, and takes the person out of every row. It returns where
// the person sees that it was done. Asked once more, it is the same deletion.
func (e *Erasures) DeleteData(ctx context.Context, requestID string, p Provider, signed string) (d Deletion, address string, err error) {
	request, keys, err := e.readRequest(ctx, p, signed)
	if err != nil {
		return d, "", err
	}
	if len(keys) > 0 {
		err = e.deleteGranted(ctx, Actor{Name: string(p), RequestID: requestID}, request, keys)
	}
	if err == nil {
		d = Deletion{Code: request.Digest, RequestedAt: request.IssuedAt, DeletedAt: e.oauth.now()}
		err = e.store.SaveDeletion(ctx, d)
	}
	return d, e.oauth.publicURL + DeletionPath + d.Code, err
}

// deleteGranted does not withdraw grants: the provider knows. It is owed to the person
// even where no log can note it.
func (e *Erasures) deleteGranted(ctx context.Context, actor Actor, request personRequest, keys []ConnectionKey) error {
	remove := func() error {
		_, err := e.end(ctx, actor, "erase", keys, func(c *Connection) bool { return c.forgetBefore(request.before()) })
		return err
	}
	if e.log != nil {
		return e.noted(ctx, PersonErasure(request.person, request.before()), remove)
	}
	e.oauth.log.WarnContext(ctx, "a person was erased without a log of erasures: a restored backup holds them again", "request_id", actor.RequestID)
	return errors.Join(remove(), e.store.Purge(ctx))
}

// readRequest reads a signed request and lists what its person has granted.
func (e *Erasures) readRequest(ctx context.Context, p Provider, signed string) (r personRequest, keys []ConnectionKey, err error) {
	abilities := e.oauth.providers[p]
	if !abilities.Configured || abilities.ReadRequest == nil {
		return r, nil, CodeNotConfigured.Fault()
	}
	if r.PersonRequest, err = abilities.ReadRequest(signed); err != nil {
		return r, nil, err
	}
	r.person = Person{Provider: p, ID: r.PersonID}
	ofPerson := limit.Limit{Kind: "person_request", Subject: r.person.ID, Max: personRequests, Window: personRequestWindow}
	if err := e.oauth.limits.Take(ctx, e.oauth.now(), CodeTooManyRequests, ofPerson); err != nil {
		return r, nil, err
	}
	keys, err = e.store.GrantedByPerson(ctx, r.person)
	return r, keys, err
}
