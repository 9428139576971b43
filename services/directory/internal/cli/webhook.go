package cli

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/cli"
)

func (p *Program) webhookCommand() *cobra.Command {
	return cli.Group("webhook", "Manage the addresses that receive events",
		p.webhookAddCommand(), p.webhookListCommand(), p.webhookTestCommand(), p.webhookRotateCommand(),
		p.webhookReplayCommand(), p.webhookRemoveCommand())
}

func (p *Program) webhookAddCommand() *cobra.Command {
	var slug string
	var all bool
	cmd := &cobra.Command{
		Use: "add URL", Short: "Add an address; prints its secret, once",
		Example: "  directory webhook add https://hooks.firma.example/events --company piekarnia-kowalski",
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (slug != "") {
				return cli.Usagef("want either --company SLUG or --all")
			}
			return p.changing(func(ctx context.Context, s *Services, _ []string) error {
				companyID, err := companyOf(ctx, s, slug, false)
				if err != nil {
					return err
				}
				added, err := s.Webhooks.Add(ctx, operator().By(), companyID, args[0])
				if err != nil {
					return explain("webhook", err)
				}
				if p.Out.JSON {
					return p.Out.Value(struct {
						ID     int64  `json:"id"`
						Secret string `json:"secret"`
					}{added.ID, added.Secret})
				}
				return p.Out.Printf("webhook %d added\n%s\n", added.ID, added.Secret)
			})(cmd, args)
		},
	}
	p.companyFlag(cmd, &slug, "slug of the company whose events it receives")
	cmd.Flags().BoolVar(&all, "all", false, "it receives the events of every company")
	return p.Out.JSONFlag(cmd)
}

type webhookLine struct {
	ID       int64   `json:"id"`
	Company  *string `json:"company"` // its slug; null: all
	Disabled *string `json:"disabled"`
	Newest   *string `json:"newest_delivery"`
	URL      string  `json:"url"`
}

func (p *Program) webhookListCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "list", Short: "List the addresses, with their newest delivery"}
	return list(p, cmd, []string{"ID", "COMPANY", "STATE", "NEWEST DELIVERY", "URL"}, webhookLine.cells,
		func(ctx context.Context, s *Services, _ []string) ([]webhookLine, error) {
			hooks, err := s.Webhooks.List(ctx, nil)
			if err != nil {
				return nil, err
			}
			lines := make([]webhookLine, len(hooks))
			for i, hook := range hooks {
				if lines[i], err = describeWebhook(ctx, s, hook); err != nil {
					return nil, err
				}
			}
			return lines, nil
		})
}

func (w webhookLine) cells() []any {
	company, state := "(all)", "active"
	if w.Company != nil {
		company = *w.Company
	}
	if w.Disabled != nil {
		state = "disabled: " + *w.Disabled
	}
	return []any{w.ID, company, state, w.Newest, cli.Link{URL: w.URL}}
}

func describeWebhook(ctx context.Context, s *Services, hook webhook.Webhook) (webhookLine, error) {
	line := webhookLine{ID: hook.ID, Disabled: orNull(string(hook.Disabled)), URL: hook.URL}
	if hook.CompanyID != nil {
		c, err := s.Companies.ByID(ctx, *hook.CompanyID)
		if err != nil {
			return line, err
		}
		line.Company = &c.Slug
	}
	deliveries, err := s.Webhooks.Deliveries(ctx, hook.ID, 1)
	for _, d := range deliveries {
		line.Newest = new(d.Type + " " + describeDelivery(d))
	}
	return line, err
}

// describeDelivery is, for example, "pending after 3 attempts: refused (503)".
func describeDelivery(d webhook.Delivery) string {
	text := string(d.State)
	if d.State != webhook.Delivered {
		text += fmt.Sprintf(" after %d attempts", d.Attempts)
	}
	if d.Result != "" && d.State != webhook.Delivered {
		text += ": " + string(d.Result)
	}
	if d.Status != 0 {
		text += fmt.Sprintf(" (%d)", d.Status)
	}
	return text
}

func (p *Program) webhookTestCommand() *cobra.Command {
	return p.onWebhook("test ID", "Send a test event now; one that is taken enables the address again",
		func(ctx context.Context, hooks *webhook.Service, id int64) error {
			d, err := hooks.Test(ctx, operator().By(), id)
			if err != nil {
				return err
			}
			if d.State != webhook.Delivered {
				return errors.New("not taken: " + describeDelivery(d))
			}
			return p.Out.Printf("%s\n", describeDelivery(d))
		})
}

func (p *Program) webhookRotateCommand() *cobra.Command {
	return p.onWebhook("rotate ID", "Make a new secret and print it; for a day the one before signs, too",
		func(ctx context.Context, hooks *webhook.Service, id int64) error {
			hook, err := hooks.Rotate(ctx, operator().By(), id)
			if err != nil {
				return err
			}
			return p.Out.Printf("%s\n", hook.Secret)
		})
}

func (p *Program) webhookReplayCommand() *cobra.Command {
	var events webhook.Selection
	var since string
	cmd := p.onWebhook("replay ID", "Send events again, also those that were accepted or given up",
		func(ctx context.Context, hooks *webhook.Service, id int64) error {
			n, err := hooks.Replay(ctx, operator().By(), id, events)
			if err != nil {
				return err
			}
			return p.Out.Printf("%d events will be sent again\n", n)
		})
	cmd.Flags().StringVar(&events.EventID, "event", "", "id of one event, as in the header webhook-id")
	cmd.Flags().StringVar(&since, "since", "",
		"events from a time on: how long ago, such as 48h, or a date, such as 2026-11-22")
	cmd.PreRunE = func(*cobra.Command, []string) (err error) {
		if (events.EventID == "") == (since == "") {
			return cli.Usagef("want either --event msg_… or --since TIME")
		}
		if events.From, err = parseSince(since); err != nil {
			return cli.Usagef("--since %q is neither a time such as 48h nor a date", since)
		}
		return nil
	}
	return cmd
}

func (p *Program) webhookRemoveCommand() *cobra.Command {
	return p.onWebhook("remove ID", "Remove an address with all that waits for it",
		func(ctx context.Context, hooks *webhook.Service, id int64) error {
			if err := hooks.Remove(ctx, operator().By(), id); err != nil {
				return err
			}
			return p.Out.Printf("webhook %d removed\n", id)
		})
}

func (p *Program) onWebhook(use, short string,
	work func(ctx context.Context, hooks *webhook.Service, id int64) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return cli.Usagef("%q is not the number of a webhook; directory webhook list has them", args[0])
			}
			return p.changing(func(ctx context.Context, s *Services, _ []string) error {
				return explain("webhook "+args[0], work(ctx, s.Webhooks, id))
			})(cmd, args)
		},
	}
}
