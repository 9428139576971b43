package connection

import (
	"context"
	"errors"
	"maps"
	"time"

	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/fault"
)

// Reading is what the tries to read a service with a connection came to.
type Reading struct {
	At       time.Time `json:"at,omitzero"`        // of the newest success
	Of       string    `json:"of,omitempty"`       // name of the account, page, location or property that was read
	FailedAt time.Time `json:"failed_at,omitzero"` // zero if the newest try succeeded
	Code     string    `json:"code,omitempty"`     // of the failure
	Reason   string    `json:"reason,omitempty"`   // of the failure, in Polish
}

// Progress is how far a company is with a service.
type Progress string

// What a service of a company may have come to.
const (
	ProgressNone    Progress = "not_connected"
	ProgressReading Progress = "reading" // connected, and not read yet
	ProgressRead    Progress = "read"
	ProgressFailed  Progress = "failed" // cannot be read
)

// Act is what has to be done so that a service can be read.
type Act string

// The acts. They are for a person of the company, except ActWait and ActOperator.
const (
	ActNone           Act = ""
	ActConnect        Act = "connect"
	ActReconnect      Act = "reconnect"
	ActChoosePage     Act = "choose_page"
	ActChooseLocation Act = "choose_location"
	ActAddProperty    Act = "add_property" // of the website in Search Console, or choose one that there is
	ActMendAccount    Act = "mend_account" // in the app or on the site of the provider
	ActWait           Act = "wait"
	ActOperator       Act = "contact_operator"
)

// ServiceState is the one state of a service of a company that API, pages and commands show.
type ServiceState struct {
	Progress Progress
	At       *time.Time // of the newest reading; nil if there is none
	FailedAt time.Time  // of a later try to read it; zero if none failed
	Of       string     // whose data were read; may be empty
	Reason   string     // why it cannot be read, in Polish
	Act      Act        // what mends it
}

// NoteRead stores that a service was read with c, or why not. of names what was read. It
// does nothing if c has been replaced, if another page or location was chosen meanwhile, if
// the caller has left, or if the failure is our own.
func (s *Service) NoteRead(ctx context.Context, c Connection, service provider.Service, of string, err error) {
	r := Reading{At: s.Store.Now(), Of: of}
	if err != nil {
		failure := fault.From(err)
		isOurs := failure.Code == "internal" || failure.Code == CodeConnectionChanged.Name
		if isOurs || errors.Is(err, context.Canceled) {
			return
		}
		r = Reading{FailedAt: s.Store.Now(), Code: failure.Code, Reason: failure.Message}
	}
	ctx = context.WithoutCancel(ctx)
	err = s.setReading(ctx, c, service, r)
	if err == nil || fault.Is(err, CodeNoConnection) || fault.Is(err, provider.CodeReconnect) {
		return
	}
	s.Log.WarnContext(ctx, "reading not noted", "company", c.CompanyID, "service", string(service), "error", err)
}

// setReading stores the newest try; a failed one leaves what is known of the newest success.
func (s *Service) setReading(ctx context.Context, c Connection, service provider.Service, r Reading) error {
	held, err := s.Store.Hold(ctx, c.CompanyID, c.Pair)
	if err != nil {
		return err
	}
	defer held.Release()
	if !held.sameGrant(&c) || !held.sameChoice(&c) {
		return nil
	}
	if !r.FailedAt.IsZero() {
		before := held.Readings[service]
		r.At, r.Of = before.At, before.Of
	}
	readings := map[provider.Service]Reading{}
	maps.Copy(readings, held.Readings)
	readings[service] = r
	held.Readings = readings
	return held.Save(nil)
}

// state returns the state of a service that is read with c.
func (s *Service) state(c Connection, service provider.Service) ServiceState {
	r := c.Readings[service]
	state := ServiceState{Progress: ProgressReading, Of: r.Of, FailedAt: r.FailedAt}
	if !r.At.IsZero() {
		state.Progress, state.At = ProgressRead, &r.At
	}
	reason, act := s.obstacle(c, service)
	if act == ActNone && !r.FailedAt.IsZero() {
		reason, act = r.Reason, actFor(r.Code)
	}
	if act != ActNone {
		state.Progress = ProgressFailed
		state.Reason = reason
		state.Act = act
	}
	return state
}

// obstacle returns what is known to prevent a reading before it is tried.
func (s *Service) obstacle(c Connection, service provider.Service) (reason string, act Act) {
	chooses := map[provider.Service]Act{
		provider.SocialPages: ActChoosePage, provider.SearchProfile: ActChooseLocation,
	}[service]
	switch reason = s.reason(c); {
	case c.LostChoice != "" && reason == reasonLost(c.Pair, c.LostChoice):
		return reason, chooses
	case reason != "":
		return reason, ActReconnect
	case chooses == ActChoosePage && c.Chosen == ChosenNothing:
		return "Najpierw wybierz stronę firmy na Facebooku.", chooses
	case chooses == ActChooseLocation && c.Chosen == ChosenNothing:
		return "Najpierw wybierz lokalizację firmy w Google.", chooses
	}
	return "", ActNone
}

// actFor returns what mends a failure.
func actFor(code string) Act {
	switch code {
	case provider.CodeReconnect.Name, provider.CodePermission.Name:
		return ActReconnect
	case provider.CodeGone.Name, "no_figures":
		return ActMendAccount
	case provider.CodeOperator.Name:
		return ActOperator
	case CodeNoPage.Name:
		return ActChoosePage
	case "no_location", "location_not_found":
		return ActChooseLocation
	case "no_site", "property_lost":
		return ActAddProperty
	}
	return ActWait
}
