package main

import (
	"bytes"
	"errors"
	"flag"
	"strings"
	"testing"
)

func environment(pairs map[string]string) func(string) string {
	return func(name string) string { return pairs[name] }
}

func TestParseConfig(t *testing.T) {
	defaults := Config{
		ControlAddr: "127.0.0.1:9090", BenchmarkAddr: "127.0.0.1:9091", AggregatorAddr: "127.0.0.1:9092",
		SearchAddr: "127.0.0.1:9093", PlacesAddr: "127.0.0.1:9094", SocialAddr: "127.0.0.1:9095",
		ClientID: "sandbox-client", ClientSecret: "sandbox-secret-0123456789", RedirectBase: "http://localhost:8080", PlacesAPIKey: "sandbox-places-key",
	}
	changed := func(change func(*Config)) Config {
		config := defaults
		change(&config)
		return config
	}
	cases := map[string]struct {
		args []string
		env  map[string]string
		want Config
	}{
		"defaults": {nil, nil, defaults},
		"environment": {nil, map[string]string{"SANDBOX_BENCHMARK_ADDR": "127.0.0.1:1", "SANDBOX_AGGREGATOR_ADDR": "[::1]:2"},
			changed(func(c *Config) { c.BenchmarkAddr, c.AggregatorAddr = "127.0.0.1:1", "[::1]:2" })},
		"a flag wins": {[]string{"-control-addr", "127.0.0.1:5"}, map[string]string{"SANDBOX_CONTROL_ADDR": "127.0.0.1:4"},
			changed(func(c *Config) { c.ControlAddr = "127.0.0.1:5" })},
		"remote when allowed": {nil, map[string]string{"SANDBOX_CONTROL_ADDR": ":9090", "SANDBOX_ALLOW_REMOTE": "true"},
			changed(func(c *Config) { c.ControlAddr, c.AllowRemote = ":9090", true })},
		"remote by flag": {[]string{"-allow-remote", "-control-addr=0.0.0.0:9090"}, nil,
			changed(func(c *Config) { c.ControlAddr, c.AllowRemote = "0.0.0.0:9090", true })},
		"the app": {[]string{"-redirect-base", "https://firma.example"}, map[string]string{"SANDBOX_CLIENT_ID": "a", "SANDBOX_CLIENT_SECRET": "b", "SANDBOX_PLACES_API_KEY": "c"},
			changed(func(c *Config) {
				c.RedirectBase, c.ClientID, c.ClientSecret, c.PlacesAPIKey = "https://firma.example", "a", "b", "c"
			})},
		"another loopback": {nil, map[string]string{"SANDBOX_CONTROL_ADDR": "127.9.9.9:9090"},
			changed(func(c *Config) { c.ControlAddr = "127.9.9.9:9090" })},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got, err := parseConfig(c.args, environment(c.env), nil)
			if err != nil || got != c.want {
				t.Errorf("got %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}

func TestParseConfigRefuses(t *testing.T) {
	cases := map[string]struct {
		args []string
		env  map[string]string
		want []string // all in the message
	}{
		"every interface": {nil, map[string]string{"SANDBOX_CONTROL_ADDR": ":9090"}, []string{"SANDBOX_CONTROL_ADDR", "SANDBOX_ALLOW_REMOTE=true"}},
		"0.0.0.0":         {[]string{"-benchmark-addr", "0.0.0.0:1"}, nil, []string{"SANDBOX_BENCHMARK_ADDR", "loopback"}},
		"a network":       {nil, map[string]string{"SANDBOX_AGGREGATOR_ADDR": "192.168.1.5:80"}, []string{"SANDBOX_AGGREGATOR_ADDR", "loopback"}},
		"all at once": {nil, map[string]string{"SANDBOX_CONTROL_ADDR": "x", "SANDBOX_BENCHMARK_ADDR": ":1", "SANDBOX_AGGREGATOR_ADDR": "127.0.0.1:99999"},
			[]string{"SANDBOX_CONTROL_ADDR", "SANDBOX_BENCHMARK_ADDR", "SANDBOX_AGGREGATOR_ADDR"}},
		"no switch":        {nil, map[string]string{"SANDBOX_ALLOW_REMOTE": "perhaps"}, []string{"SANDBOX_ALLOW_REMOTE", "true or false"}},
		"a social network": {nil, map[string]string{"SANDBOX_SOCIAL_ADDR": "192.168.1.5:80"}, []string{"SANDBOX_SOCIAL_ADDR", "loopback"}},
		"no scheme":        {nil, map[string]string{"SANDBOX_REDIRECT_BASE": "localhost:8080"}, []string{"SANDBOX_REDIRECT_BASE", "http(s) URL"}},
		"with a query":     {nil, map[string]string{"SANDBOX_REDIRECT_BASE": "http://localhost/?a=b"}, []string{"SANDBOX_REDIRECT_BASE"}},
		"blank key":        {[]string{"-places-api-key", " "}, nil, []string{"SANDBOX_PLACES_API_KEY", "must not be empty"}},
		"unknown flag":     {[]string{"-port", "1"}, nil, []string{"-port"}},
		"unknown argument": {[]string{"start"}, nil, []string{`"start"`}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := parseConfig(c.args, environment(c.env), nil)
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("got %v, want %q in it", err, want)
				}
			}
		})
	}
}

func TestHelpListsEverySetting(t *testing.T) {
	var output bytes.Buffer
	if _, err := parseConfig([]string{"--help"}, environment(nil), &output); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("got %v, want flag.ErrHelp", err)
	}
	wanted := []string{"SANDBOX_ALLOW_REMOTE", "never use it in production"}
	for _, s := range new(Config).settings() {
		wanted = append(wanted, s.variable, s.flag, s.fallback)
	}
	for _, want := range wanted {
		if !strings.Contains(output.String(), want) {
			t.Errorf("the help lacks %q", want)
		}
	}
}

func TestTheCallbackOfTheApp(t *testing.T) {
	for _, base := range []string{"http://localhost:8080", "http://localhost:8080/"} {
		config := Config{RedirectBase: base}
		if got, want := config.redirectURI("provider_search"), "http://localhost:8080/api/oauth/callback/provider_search"; got != want {
			t.Errorf("of %s: got %s, want %s", base, got, want)
		}
	}
}
