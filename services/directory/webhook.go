package main

import (
	"time"

	"backend.example/services/directory/internal/webhook"
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
