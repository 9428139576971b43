package app

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"backend.example/services/directory/internal/erasure"
	"backend.example/services/directory/internal/mail"
	"backend.example/services/directory/internal/provider"
	kitcli "backend.example/services/internal/kit/cli"
	"backend.example/services/internal/kit/fault"
)

// doctorTimeout bounds the checks over the network together.
const doctorTimeout = time.Minute

// diagnose checks what the service needs, and changes nothing.
func diagnose(ctx context.Context, environ []string) *kitcli.Diagnosis {
	ctx, cancel := context.WithTimeout(ctx, doctorTimeout)
	defer cancel()
	d := &kitcli.Diagnosis{}
	cfg, err := LoadConfig(environ)
	if !d.Check("settings", err, "correct them; deploy/env/directory.env.example describes each") {
		return d
	}
	log := slog.New(slog.DiscardHandler)
	diagnosePaths(d, &cfg, log)
	diagnoseMail(ctx, d, &cfg)
	if !d.Check("database file", cfg.requireFile(), "go to the folder of the service, or run directory migrate up") {
		return d
	}
	if !d.Check("keys", loadKeys(&cfg, false), "put the keys back from their backup; new ones open no secrets") {
		return d
	}
	db, err := openStore(ctx, cfg)
	if !d.Check("database", err, "check DIRECTORY_DATABASE_URL, the server, its password and the network") {
		return d
	}
	defer func() { _ = db.Close() }() // nothing was written
	if !d.Check("schema", db.CheckSchema(ctx), "run directory migrate up, or start the service") {
		return d
	}
	d.Check("secrets in the database", db.CheckSecrets(ctx),
		"add the key that is missing to DIRECTORY_ENCRYPTION_KEYS; without it these connections must be made again")
	a, err := New(cfg, db, Options{Log: log})
	if d.Check("service", err, "correct the settings") {
		a.diagnoseProviders(ctx, d)
	}
	return d
}

func diagnosePaths(d *kitcli.Diagnosis, cfg *Config, log *slog.Logger) {
	const toDo = "set DIRECTORY_ERASURE_LOG to a file that the service may write, apart from backups of the database"
	erased := cfg.erasureLog(log)
	if erased == nil {
		d.Check("erasure log", erasure.CodeNoErasureLog.Fault(), toDo)
		return
	}
	d.Check("erasure log", erased.Check(), toDo)
}

func diagnoseMail(ctx context.Context, d *kitcli.Diagnosis, cfg *Config) {
	if cfg.SMTPURL == "" {
		d.Off("mail", "links are printed, not mailed: DIRECTORY_SMTP_URL is not set")
		return
	}
	server, err := mail.Parse(cfg.SMTPURL.Reveal())
	if err == nil {
		err = server.Check(ctx)
	}
	d.Check("mail", err, "check host, port, name and password in DIRECTORY_SMTP_URL")
}

// diagnoseProviders shows each provider a code that it did not issue: it refuses the code, or the
// credentials.
func (a *App) diagnoseProviders(ctx context.Context, d *kitcli.Diagnosis) {
	clients := a.newClients()
	for _, of := range []struct {
		client   provider.Client
		pair     provider.Pair
		settings string
	}{
		{clients.google, provider.ProfilePair, "PROVIDER_SEARCH"},
		{clients.meta, provider.PagesPair, "PROVIDER_SOCIAL"},
	} {
		name := string(of.pair.Provider)
		if !of.client.Configured() {
			d.Off(name, of.settings+"_CLIENT_ID is not set")
			continue
		}
		redirect := a.cfg.redirectBase() + "/api/oauth/callback/" + name
		_, err := of.client.Exchange(ctx, []provider.Service{of.pair.Service}, "doctor", "", redirect)
		toDo := "check " + of.settings + "_CLIENT_ID and its secret at the provider"
		if fault.Is(err, provider.CodeTemporary) || errors.Is(err, context.DeadlineExceeded) {
			toDo = "check the network, proxies and the provider's status page"
		} else if !fault.Is(err, provider.CodeOperator) {
			err = nil
		}
		d.Check(name, err, toDo)
	}
	if clients.places == nil {
		d.Off("places", "PLACES_API_KEY is not set")
		return
	}
	d.Off("places", "a key is set; it is not tried, because a request may cost")
}
