package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
)

// Config is all that can be set, by flag or environment; a flag wins.
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

// errRemote refuses an address that other machines could reach.
var errRemote = errors.New("not a loopback address; set SANDBOX_ALLOW_REMOTE=true to listen on it all the same")

const usage = `sandbox fakes outside sites (a benchmark site, a price aggregator and the
providers of business profiles) on loopback, for demos and black-box tests. Its
data are made up: never use it in production.

usage: sandbox [serve|healthcheck] [flags]
       sandbox --version

  serve        listen until SIGTERM or SIGINT (default)
  healthcheck  exit 0 when the control address answers, else 1

flags, each with its environment variable:
`

// setting ties a text to its flag and its variable.
type setting struct {
	target                         *string
	flag, variable, fallback, what string
	check                          func(value string) error
}

// settings lists all but the switch; a new fake is a line here.
func (c *Config) settings() []setting {
	return []setting{
		{&c.ControlAddr, "control-addr", "SANDBOX_CONTROL_ADDR", "127.0.0.1:9090", "`host:port` of the control address", c.checkAddr},
		{&c.BenchmarkAddr, "benchmark-addr", "SANDBOX_BENCHMARK_ADDR", "127.0.0.1:9091", "`host:port` of the benchmark site", c.checkAddr},
		{&c.AggregatorAddr, "aggregator-addr", "SANDBOX_AGGREGATOR_ADDR", "127.0.0.1:9092", "`host:port` of the price aggregator", c.checkAddr},
		{&c.SearchAddr, "search-addr", "SANDBOX_SEARCH_ADDR", "127.0.0.1:9093", "`host:port` of provider_search", c.checkAddr},
		{&c.PlacesAddr, "places-addr", "SANDBOX_PLACES_ADDR", "127.0.0.1:9094", "`host:port` of the public places", c.checkAddr},
		{&c.SocialAddr, "social-addr", "SANDBOX_SOCIAL_ADDR", "127.0.0.1:9095", "`host:port` of provider_social", c.checkAddr},
		{&c.ClientID, "client-id", "SANDBOX_CLIENT_ID", "sandbox-client", "client `id` that the OAuth providers know", checkText},
		{&c.ClientSecret, "client-secret", "SANDBOX_CLIENT_SECRET", "sandbox-secret-0123456789", "its `secret`", checkText},
		{&c.RedirectBase, "redirect-base", "SANDBOX_REDIRECT_BASE", "http://localhost:8080", "`URL` of the app to which the OAuth providers send people back", checkBase},
		{&c.PlacesAPIKey, "places-api-key", "SANDBOX_PLACES_API_KEY", "sandbox-places-key", "`key` that the public places take", checkText},
	}
}

// parseConfig reads the flags over the environment. Every problem of the
// settings is reported at once; --help writes the usage and gives flag.ErrHelp.
func parseConfig(args []string, getenv func(string) string, stdout io.Writer) (Config, error) {
	var config Config
	allowRemote, err := parseSwitch(getenv, "SANDBOX_ALLOW_REMOTE")
	if err != nil {
		return Config{}, err
	}
	flags := config.flags(getenv, allowRemote)
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
	return config, config.validate()
}

func (c *Config) flags(getenv func(string) string, allowRemote bool) *flag.FlagSet {
	flags := flag.NewFlagSet("sandbox", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	for _, s := range c.settings() {
		fallback := s.fallback
		if value := getenv(s.variable); value != "" {
			fallback = value
		}
		flags.StringVar(s.target, s.flag, fallback, s.what+" ("+s.variable+")")
	}
	flags.BoolVar(&c.AllowRemote, "allow-remote", allowRemote,
		"listen on other addresses than loopback, for container networks (SANDBOX_ALLOW_REMOTE)")
	return flags
}

func (c *Config) validate() error {
	var problems []error
	for _, s := range c.settings() {
		if err := s.check(*s.target); err != nil {
			problems = append(problems, fmt.Errorf("%s=%q: %w", s.variable, *s.target, err))
		}
	}
	return errors.Join(problems...)
}

func (c *Config) checkAddr(addr string) error {
	resolved, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return err
	}
	if !c.AllowRemote && !resolved.IP.IsLoopback() {
		return errRemote
	}
	return nil
}

func checkText(value string) error {
	if strings.TrimSpace(value) == "" {
		return errors.New("must not be empty")
	}
	return nil
}

func checkBase(value string) error {
	base, err := url.Parse(value)
	if err != nil {
		return err
	}
	if (base.Scheme != "http" && base.Scheme != "https") || base.Host == "" || base.RawQuery != "" || base.Fragment != "" {
		return errors.New("must be an http(s) URL without query and fragment")
	}
	return nil
}

func parseSwitch(getenv func(string) string, variable string) (bool, error) {
	value := getenv(variable)
	if value == "" {
		return false, nil
	}
	on, err := strconv.ParseBool(value)
	if err != nil {
		return false, fmt.Errorf("%s=%q is not true or false", variable, value)
	}
	return on, nil
}

// redirectURI is the callback of the directory service for a provider.
func (c *Config) redirectURI(provider string) string {
	return strings.TrimSuffix(c.RedirectBase, "/") + "/api/oauth/callback/" + provider
}
