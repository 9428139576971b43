package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
)

// trailQuery is what the command line says of the wanted lines.
type trailQuery struct {
	company, user, since string
	limit                int
	json                 bool
}

func (p *program) trailCommand() *cobra.Command {
	var q trailQuery
	cmd := &cobra.Command{
		Use: "trail", Short: "Print the audit trail, newest first", Args: cobra.NoArgs,
		Example: "  directory trail --company piekarnia-kowalski --since 2026-11-01",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withStore(cmd.Context(), func(ctx context.Context, _ config, s *store.Store) error {
				search, err := q.search(ctx, s)
				if err != nil {
					return err
				}
				lines, err := s.SearchTrail(ctx, search)
				if err != nil {
					return err
				}
				if q.json {
					return p.printTrailJSON(lines)
				}
				return p.printTrail(lines)
			})
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&q.company, "company", "", "slug of a company; the number of one that was deleted")
	flags.StringVar(&q.user, "user", "", "by or about the user with that e-mail address; the number of one who was deleted")
	flags.StringVar(&q.since, "since", "", "since a day, as 2026-11-22, or for a time, as 48h")
	flags.IntVar(&q.limit, "limit", 100, "how many lines")
	flags.BoolVar(&q.json, "json", false, "a JSON object for each line")
	return cmd
}

func (q *trailQuery) search(ctx context.Context, s *store.Store) (search directory.TrailSearch, err error) {
	search.Limit = q.limit
	search.CompanyID, err = numberOf(q.company, func() (int64, error) { c, err := s.CompanyBySlug(ctx, q.company); return c.ID, err })
	if err != nil {
		return search, explain(fmt.Sprintf("--company %q", q.company), err)
	}
	search.UserID, err = numberOf(q.user, func() (int64, error) {
		u, err := s.UserByEmail(ctx, directory.NormalEmail(q.user))
		return u.ID, err
	})
	if err != nil {
		return search, explain("--user "+q.user, err)
	}
	if search.Since, err = parseSince(q.since, time.Now()); err != nil {
		return search, fmt.Errorf("--since %q: neither a day, as 2026-11-22, nor a time, as 48h", q.since)
	}
	return search, nil
}

// numberOf finds what text names, or takes it for the number of what was deleted.
func numberOf(text string, find func() (int64, error)) (int64, error) {
	if text == "" {
		return 0, nil
	}
	id, err := find()
	if n, numberErr := strconv.ParseInt(text, 10, 64); err != nil && numberErr == nil {
		return n, nil
	}
	return id, err
}

func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	if ago, err := time.ParseDuration(text); err == nil {
		return now.Add(-ago), nil
	}
	return time.ParseInLocation(time.DateOnly, text, time.Local)
}

func (p *program) printTrail(lines []directory.Entry) error {
	w := tabwriter.NewWriter(p.stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "AT\tWHO\tACTION\tCOMPANY\tUSER\tSERVICE\tDETAIL")
	for _, e := range lines {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n",
			printed(e.At), who(e), e.Action, number(e.CompanyID), number(e.AboutUserID), e.Pair.Service, e.Detail)
	}
	return w.Flush()
}

// who is a user by number: the trail is read where names do not belong, too.
func who(e directory.Entry) string {
	switch {
	case e.Actor != "":
		return e.Actor
	case e.UserID != nil:
		return fmt.Sprintf("user %d", *e.UserID)
	}
	return "service"
}

func number(id int64) string {
	if id == 0 {
		return "-"
	}
	return strconv.FormatInt(id, 10)
}

// trailLine is a line of the trail as JSON; numbers that are 0 are null.
type trailLine struct {
	At          time.Time          `json:"at"`
	CompanyID   *int64             `json:"company_id"`
	UserID      *int64             `json:"user_id"`
	Actor       string             `json:"actor"`
	AboutUserID *int64             `json:"about_user_id"`
	Action      string             `json:"action"`
	Provider    directory.Provider `json:"provider"`
	Service     directory.Service  `json:"service"`
	Detail      string             `json:"detail"`
	RequestID   string             `json:"request_id"`
}

func trailLineOf(e directory.Entry) trailLine {
	line := trailLine{
		At: e.At, UserID: e.UserID, Actor: e.Actor, Action: e.Action, Provider: e.Pair.Provider, Service: e.Pair.Service,
		Detail: e.Detail, RequestID: e.RequestID,
	}
	if e.CompanyID != 0 {
		line.CompanyID = &e.CompanyID
	}
	if e.AboutUserID != 0 {
		line.AboutUserID = &e.AboutUserID
	}
	return line
}

func (p *program) printTrailJSON(lines []directory.Entry) error {
	encoder := json.NewEncoder(p.stdout)
	for _, e := range lines {
		if err := encoder.Encode(trailLineOf(e)); err != nil {
			return err
		}
	}
	return nil
}
