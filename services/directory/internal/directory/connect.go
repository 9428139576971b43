package directory

import "backend.example/services/internal/kit/fault"

// Connect begins an authorization: the address for the user's browser, and what
// the session has to keep until the callback. The faults are invalid_pair,
// no_company and not_configured.
func (o *OAuth) Connect(actor Actor, p Pair) (authURL string, pending *Pending, err error) {
	if !p.Valid() {
		return "", nil, fault.New(fault.Invalid, "invalid_pair", "Nieprawidłowy dostawca lub usługa.")
	}
	companyID, err := actor.company()
	if err != nil {
		return "", nil, err
	}
	provider := o.providers[p.Provider]
	if !provider.Configured {
		return "", nil, fault.New(fault.Unavailable, "not_configured", "Ten dostawca nie jest skonfigurowany.")
	}
	pending = &Pending{State: newState(companyID, actor.User.ID, p.Service), Provider: p.Provider, CreatedAt: o.now()}
	if provider.UsesPKCE {
		pending.Verifier = newVerifier()
	}
	return provider.AuthURL(p.Service, pending.State, pending.Verifier, o.redirectURL(p.Provider)), pending, nil
}
