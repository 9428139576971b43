// Package notify writes e-mails about a company to its people.
package notify

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/riverqueue/river"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/jobs"
	"backend.example/services/directory/internal/social"
	"backend.example/services/directory/internal/statistics"
	"backend.example/services/internal/kit/fault"
)

// Service writes the e-mails. It is safe for concurrent use.
type Service struct {
	Users      *account.Users
	Companies  *company.Companies
	Store      *connection.Store
	Statistics *statistics.Service
	Social     *social.Service
	Audits     *audit.Service
	// Send sends an e-mail; permanent reports that another attempt would fail, too. It is nil
	// without a server.
	Send      func(ctx context.Context, to, subject, text string) (permanent bool, err error)
	PublicURL string // of the service, without a final slash
	Now       func() time.Time
	Log       *slog.Logger
}

// SendBroken writes to a user that a connection needs its person, unless it works again or the
// user is no longer to be notified.
func (s *Service) SendBroken(ctx context.Context, job *river.Job[jobs.BrokenMail]) error {
	c, err := s.Store.ByID(ctx, job.Args.ConnectionID)
	if fault.Is(err, connection.CodeNoConnection) {
		return nil
	}
	if err != nil {
		return err
	}
	_, event := c.Event()
	if event.Reason == nil {
		return nil
	}
	firm, err := s.Companies.ByID(ctx, c.CompanyID)
	if err != nil {
		return err
	}
	name := c.Pair.Name()
	text := fmt.Sprintf("%s: połączenie firmy „%s” przestało działać.\n\n%s\n\n"+
		"Wystarczy kilka kliknięć na tej stronie:\n\n%s/konto/integracje#%s\n",
		name, firm.Name, *event.Reason, s.PublicURL, c.Pair.Provider)
	return s.send(ctx, job.Args.UserID, firm, name+" czeka na Ciebie: "+firm.Name, text)
}

// send sends a user an e-mail about a company, unless the user is no longer to be notified.
func (s *Service) send(ctx context.Context, userID int64, c company.Company, subject, text string) error {
	users, err := account.ToNotify(s.Store.Read(ctx), c.ID)
	if err != nil {
		return err
	}
	if s.Send == nil || !slices.Contains(users, userID) {
		return nil
	}
	user, err := s.Users.ByID(ctx, userID)
	if err != nil {
		return err
	}
	const greeting, unsubscribe = "Dzień dobry!\n\n", "\nTakie wiadomości wyłączysz na stronie "
	full := greeting + text + unsubscribe + s.PublicURL + "/konto/dane\n"
	permanent, err := s.Send(ctx, user.Email, subject, full)
	if permanent {
		s.Log.WarnContext(ctx, "e-mail refused", "user", userID, "error", err)
		return nil
	}
	return err
}
