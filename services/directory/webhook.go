package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/directory/internal/store"
	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/outbound"
)

// webhookTimeout bounds each phase of a call to a receiver.
const webhookTimeout = 5 * time.Second

// newSender reaches receivers. The calls are in no trace: their addresses are those of
// others, and often hold a secret.
func newSender(cfg config) *webhook.Sender {
	transport := outbound.NewTransport(webhookTimeout)
	if cfg.WebhookPrivate {
		transport = outbound.NewOpenTransport(webhookTimeout)
	}
	return webhook.New(webhook.Options{
		Transport: transport, AllowPrivate: cfg.WebhookPrivate, UserAgent: "directory/" + thisBuild().Version, Now: time.Now,
	})
}

func (p *program) webhookCommand() *cobra.Command {
	return cli.Group("webhook", "Manage the addresses that are told of events",
		p.webhookAddCommand(), p.webhookListCommand(), p.webhookTestCommand(), p.webhookRotateCommand(), p.webhookRemoveCommand())
}

// withWebhooks runs a command's work on the webhooks of the settings' database.
func (p *program) withWebhooks(ctx context.Context, open func(context.Context, work) error, do func(context.Context, *directory.Webhooks, *store.Store) error) error {
	return open(ctx, func(ctx context.Context, cfg config, s *store.Store) error {
		hooks := directory.NewWebhooks(directory.WebhookOptions{
			Store: s, Sender: newSender(cfg), Limits: s, Now: time.Now, Log: p.logger(cfg.LogLevel),
		})
		return do(ctx, hooks, s)
	})
}

func (p *program) webhookAddCommand() *cobra.Command {
	var slug string
	var all bool
	cmd := &cobra.Command{
		Use: "add URL", Short: "Add an address; prints its secret, once",
		Example: "  directory webhook add https://hooks.firma.example/events --company piekarnia-kowalski",
		RunE: func(cmd *cobra.Command, args []string) error {
			if all == (slug != "") {
				return cli.Usagef("want either --company SLUG or --all")
			}
			return p.withWebhooks(cmd.Context(), p.withStore, func(ctx context.Context, hooks *directory.Webhooks, s *store.Store) error {
				companyID, err := companyOf(ctx, s, slug)
				if err != nil {
					return err
				}
				added, err := hooks.Add(ctx, operator(), companyID, args[0])
				if err != nil {
					return explain("webhook", err)
				}
				if p.out.JSON {
					return p.out.Value(addedWebhook{added.ID, added.Secret})
				}
				return p.out.Printf("webhook %d added\n%s\n", added.ID, added.Secret)
			})
		},
	}
	p.companyFlag(cmd, &slug, "slug of the company whose events it hears")
	cmd.Flags().BoolVar(&all, "all", false, "it hears the events of every company")
	return p.out.JSONFlag(cmd)
}

// addedWebhook is a new webhook; the secret is told once.
type addedWebhook struct {
	ID     int64  `json:"id"`
	Secret string `json:"secret"`
}

// companyOf is the id of a company; nil: every company.
func companyOf(ctx context.Context, s *store.Store, slug string) (*int64, error) {
	if slug == "" {
		return nil, nil
	}
	company, err := s.CompanyBySlug(ctx, slug)
	return &company.ID, explain(fmt.Sprintf("--company %q", slug), err)
}

// webhookLine is a webhook of a list.
type webhookLine struct {
	ID       int64   `json:"id"`
	Company  *string `json:"company"` // its slug; null: all
	Disabled *string `json:"disabled"`
	Newest   *string `json:"newest_delivery"`
	URL      string  `json:"url"`
}

func (p *program) webhookListCommand() *cobra.Command {
	return p.out.JSONFlag(&cobra.Command{
		Use: "list", Short: "List the addresses, with their newest delivery",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return p.withWebhooks(cmd.Context(), p.reading, func(ctx context.Context, hooks *directory.Webhooks, s *store.Store) error {
				list, err := hooks.List(ctx, nil)
				if err != nil {
					return err
				}
				lines := make([]webhookLine, len(list))
				for i, hook := range list {
					if lines[i], err = describeWebhook(ctx, hooks, s, hook); err != nil {
						return err
					}
				}
				return cli.List(p.out, lines, []string{"ID", "COMPANY", "STATE", "NEWEST DELIVERY", "URL"}, webhookLine.cells)
			})
		},
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

func describeWebhook(ctx context.Context, hooks *directory.Webhooks, s *store.Store, hook directory.Webhook) (webhookLine, error) {
	line := webhookLine{ID: hook.ID, URL: hook.URL}
	if hook.CompanyID != nil {
		c, err := s.Company(ctx, *hook.CompanyID)
		if err != nil {
			return line, err
		}
		line.Company = &c.Slug
	}
	if disabled := string(hook.Disabled); disabled != "" {
		line.Disabled = &disabled
	}
	deliveries, err := hooks.Deliveries(ctx, hook.ID, 1)
	for _, d := range deliveries {
		newest := fmt.Sprintf("%s %s", d.Event.Type, describeDelivery(d))
		line.Newest = &newest
	}
	return line, err
}

// describeDelivery is, for example, "pending after 3 attempts: refused (503)".
func describeDelivery(d directory.Delivery) string {
	text := string(d.State)
	if d.State != directory.DeliveryDelivered {
		text += fmt.Sprintf(" after %d attempts", d.Attempts)
	}
	if d.Last.Result != "" && d.State != directory.DeliveryDelivered {
		text += ": " + string(d.Last.Result)
	}
	if d.Last.Status != 0 {
		text += fmt.Sprintf(" (%d)", d.Last.Status)
	}
	return text
}

func (p *program) webhookTestCommand() *cobra.Command {
	return p.onWebhook("test ID", "Send a test event now; one that is taken enables the address again",
		func(ctx context.Context, hooks *directory.Webhooks, id int64) error {
			d, err := hooks.Test(ctx, operator(), id)
			if err != nil {
				return err
			}
			if d.State != directory.DeliveryDelivered {
				return errors.New("not taken: " + describeDelivery(d))
			}
			return p.out.Printf("%s\n", describeDelivery(d))
		})
}

func (p *program) webhookRotateCommand() *cobra.Command {
	return p.onWebhook("rotate ID", "Make a new secret and print it; for a day the one before signs, too",
		func(ctx context.Context, hooks *directory.Webhooks, id int64) error {
			hook, err := hooks.Rotate(ctx, operator(), id)
			if err != nil {
				return err
			}
			return p.out.Printf("%s\n", hook.Secret)
		})
}

func (p *program) webhookRemoveCommand() *cobra.Command {
	return p.onWebhook("remove ID", "Remove an address with all that waits for it",
		func(ctx context.Context, hooks *directory.Webhooks, id int64) error {
			if err := hooks.Remove(ctx, operator(), id); err != nil {
				return err
			}
			return p.out.Printf("webhook %d removed\n", id)
		})
}

// onWebhook is a command about one webhook.
func (p *program) onWebhook(use, short string, work func(ctx context.Context, hooks *directory.Webhooks, id int64) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short,
		RunE: func(cmd *cobra.Command, args []string) error {
			id, err := strconv.ParseInt(args[0], 10, 64)
			if err != nil {
				return cli.Usagef("%q is not the number of a webhook; directory webhook list has them", args[0])
			}
			return p.withWebhooks(cmd.Context(), p.withStore, func(ctx context.Context, hooks *directory.Webhooks, _ *store.Store) error {
				return explain("webhook "+args[0], work(ctx, hooks, id))
			})
		},
	}
}
