package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Config holds the settings, from flags or the environment. A flag wins.
type Config struct {
	ControlAddr    string // host:port
	BenchmarkAddr  string // host:port
	AggregatorAddr string // host:port
	SearchAddr     string // host:port
	PlacesAddr     string // host:port
	SocialAddr     string // host:port
	ClientID       string // of the app that is registered at the OAuth providers
	ClientSecret   string
	RedirectBase   string // address of the app, to which the providers send people back
	PlacesAPIKey   string
	AllowRemote    bool // listen on other addresses than loopback
}

const usage = `sandbox fakes outside sites (a benchmark site, a price aggregator and the
providers of business profiles) on loopback, for demos and black-box tests. Its
data are made up: never use it in production.

usage: sandbox [serve|healthcheck] [flags]
       sandbox --version

  serve        listen until SIGTERM or SIGINT (default)
  healthcheck  exit 0 when the control address answers, else 1

flags, each with its environment variable:
`

type setting struct {
	target   *string // the field of Config
	flag     string  // name without the dashes
	fallback string
	what     string // for the usage
}

// variable is the name of the setting in the environment.
func (s setting) variable() string {
	return "SANDBOX_" + strings.ToUpper(strings.ReplaceAll(s.flag, "-", "_"))
}

// settings returns all settings but AllowRemote.
func (c *Config) settings() []setting {
	return []setting{
		{&c.ControlAddr, "control-addr", "127.0.0.1:9090", "`host:port` of the control address"},
		{&c.BenchmarkAddr, "benchmark-addr", "127.0.0.1:9091", "`host:port` of the benchmark site"},
		{&c.AggregatorAddr, "aggregator-addr", "127.0.0.1:9092", "`host:port` of the price aggregator"},
		{&c.SearchAddr, "search-addr", "127.0.0.1:9093", "`host:port` of provider_search"},
		{&c.PlacesAddr, "places-addr", "127.0.0.1:9094", "`host:port` of the public places"},
		{&c.SocialAddr, "social-addr", "127.0.0.1:9095", "`host:port` of provider_social"},
		{&c.ClientID, "client-id", "sandbox-client", "client `id` that the OAuth providers know"},
		{&c.ClientSecret, "client-secret", "sandbox-secret-0123456789", "its `secret`"},
		{&c.RedirectBase, "redirect-base", "http://localhost:8080",
			"`URL` of the app to which the OAuth providers send people back"},
		{&c.PlacesAPIKey, "places-api-key", "sandbox-places-key", "`key` that the public places take"},
	}
}

// parseConfig reads the settings from the flags and the environment. It stops at an argument or a value of
// SANDBOX_ALLOW_REMOTE that it cannot read. Otherwise it reports all invalid values together.
func parseConfig(args []string, getenv func(string) string, stdout io.Writer) (Config, error) {
	var config Config
	allowRemote, err := strconv.ParseBool(cmp.Or(getenv("SANDBOX_ALLOW_REMOTE"), "false"))
	if err != nil {
		return Config{}, fmt.Errorf("SANDBOX_ALLOW_REMOTE=%q is not true or false", getenv("SANDBOX_ALLOW_REMOTE"))
	}
	flags := flag.NewFlagSet("sandbox", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	for _, s := range config.settings() {
		flags.StringVar(s.target, s.flag, cmp.Or(getenv(s.variable()), s.fallback), s.what+" ("+s.variable()+")")
	}
	flags.BoolVar(&config.AllowRemote, "allow-remote", allowRemote,
		"listen on other addresses than loopback, for container networks (SANDBOX_ALLOW_REMOTE)")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			fmt.Fprint(stdout, usage)
			flags.SetOutput(stdout)
			flags.PrintDefaults()
		}
		return Config{}, err
	}
	if flags.NArg() > 0 {
		return Config{}, fmt.Errorf("unknown argument %q", flags.Arg(0))
	}
	var problems []error
	for _, s := range config.settings() {
		if err := config.check(s); err != nil {
			problems = append(problems, fmt.Errorf("%s=%q: %w", s.variable(), *s.target, err))
		}
	}
	return config, errors.Join(problems...)
}

func (c *Config) check(s setting) error {
	if strings.HasSuffix(s.flag, "-addr") {
		return c.checkAddr(*s.target)
	}
	if s.target == &c.RedirectBase {
		return checkBase(*s.target)
	}
	if strings.TrimSpace(*s.target) == "" {
		return errors.New("must not be empty")
	}
	return nil
}

func (c *Config) checkAddr(addr string) error {
	resolved, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return err
	}
	if !c.AllowRemote && !resolved.IP.IsLoopback() {
		return errors.New("not a loopback address; set SANDBOX_ALLOW_REMOTE=true to listen on it all the same")
	}
	return nil
}

func checkBase(text string) error {
	base, err := url.Parse(text)
	if err != nil {
		return err
	}
	isHTTP := base.Scheme == "http" || base.Scheme == "https"
	hasMore := base.RawQuery != "" || base.Fragment != ""
	if !isHTTP || base.Host == "" || hasMore {
		return errors.New("must be an http(s) URL without query and fragment")
	}
	return nil
}
