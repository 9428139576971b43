package settings_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"backend.example/services/internal/kit/settings"
)

type config struct {
	Addr     string          `env:"SHOP_ADDR" envDefault:"127.0.0.1:8080"`
	Admin    string          `env:"SHOP_ADMIN_ADDR" envDefault:"127.0.0.1:9080"`
	Interval time.Duration   `env:"SHOP_PRICE_INTERVAL" envDefault:"1.2s"`
	Limit    int             `env:"SHOP_LIMIT"`
	Owner    string          `env:"SHOP_OWNER"`
	Token    settings.Secret `env:"SHOP_TOKEN"`
	Key      settings.Secret `env:"PARTNER_KEY"`
}

func load(t *testing.T, environ ...string) (config, []string) {
	t.Helper()
	var c config
	err := settings.Load(&c, environ, "SHOP_", "PARTNER_")
	if err == nil {
		return c, nil
	}
	head, problems, _ := strings.Cut(err.Error(), "\n")
	if head != "the settings have problems:" {
		t.Errorf("head of the problems = %q", head)
	}
	return c, strings.Split(problems, "\n")
}

func TestDefaultsAndValues(t *testing.T) {
	t.Setenv("SHOP_OWNER", "of the process") // only the given environment counts
	got, problems := load(t, "SHOP_LIMIT=5", "SHOP_ADMIN_ADDR=", "PARTNER_KEY=k", "HOME=/home/demo", "SHOPPING=1")
	want := config{Addr: "127.0.0.1:8080", Admin: "127.0.0.1:9080", Interval: 1200 * time.Millisecond, Limit: 5,
		Key: "k"}
	if got != want {
		t.Errorf("config = %+v, want %+v", got, want)
	}
	if problems != nil {
		t.Errorf("problems = %q, want none", problems)
	}
}

func TestSecretFile(t *testing.T) {
	const path = "PATH" // stands for that of a file with the content
	tests := []struct {
		name, content string
		environ       []string
		token         settings.Secret
		problem       string
	}{
		{name: "plain", content: "abc", environ: []string{"SHOP_TOKEN_FILE=" + path}, token: "abc"},
		{name: "line break", content: "abc\n", environ: []string{"SHOP_TOKEN_FILE=" + path}, token: "abc"},
		{name: "line break of Windows", content: "abc\r\n", environ: []string{"SHOP_TOKEN_FILE=" + path}, token: "abc"},
		{name: "spaces belong to the secret", content: " a b\nc \n", environ: []string{"SHOP_TOKEN_FILE=" + path},
			token: " a b\nc "},
		{name: "empty file", environ: []string{"SHOP_TOKEN_FILE=" + path}},
		{name: "empty file name counts as absent", environ: []string{"SHOP_TOKEN=t", "SHOP_TOKEN_FILE="}, token: "t"},
		{name: "empty value counts as absent", content: "f",
			environ: []string{"SHOP_TOKEN=", "SHOP_TOKEN_FILE=" + path}, token: "f"},
		{
			name: "both set", content: "f", environ: []string{"SHOP_TOKEN=t", "SHOP_TOKEN_FILE=" + path}, token: "t",
			problem: "SHOP_TOKEN and SHOP_TOKEN_FILE are both set; keep one",
		},
		{
			name: "not a secret", content: "f", environ: []string{"SHOP_OWNER_FILE=" + path},
			problem: "SHOP_OWNER_FILE is not a setting; did you mean SHOP_OWNER?",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "secret")
			if err := os.WriteFile(file, []byte(test.content), 0o600); err != nil {
				t.Fatal(err)
			}
			for i, variable := range test.environ {
				test.environ[i] = strings.Replace(variable, path, file, 1)
			}
			got, problems := load(t, test.environ...)
			if got.Token != test.token {
				t.Errorf("token = %q, want %q", got.Token.Reveal(), test.token.Reveal())
			}
			if got.Owner != "" {
				t.Errorf("owner, which is no secret, = %q from a file", got.Owner)
			}
			if problem := strings.Join(problems, "\n"); problem != test.problem {
				t.Errorf("problem = %q, want %q", problem, test.problem)
			}
		})
	}
}

func TestUnknownVariables(t *testing.T) {
	tests := []struct{ variable, problem string }{
		{"SHOP_PRICE_INTERVL", "SHOP_PRICE_INTERVL is not a setting; did you mean SHOP_PRICE_INTERVAL?"},
		{"SHOP_ADR", "SHOP_ADR is not a setting; did you mean SHOP_ADDR?"},
		{"SHOP_XYZ", "SHOP_XYZ is not a setting"},
		{"PARTNER_KYE", "PARTNER_KYE is not a setting; did you mean PARTNER_KEY?"},
		{"PARTNER_SECRET", "PARTNER_SECRET is not a setting"},
	}
	for _, test := range tests {
		_, problems := load(t, test.variable+"=1")
		if !slices.Equal(problems, []string{test.problem}) {
			t.Errorf("%s: problems = %q, want %q", test.variable, problems, test.problem)
		}
	}
	if _, problems := load(t, "SHOP_XYZ="); len(problems) > 0 {
		t.Errorf("an empty variable: problems = %q", problems)
	}
	for range 20 { // of two that are equally near, always the first one
		_, problems := load(t, "SHOP_ADX=1")
		if want := []string{"SHOP_ADX is not a setting; did you mean SHOP_ADDR?"}; !slices.Equal(problems, want) {
			t.Errorf("problems = %q, want %q", problems, want)
		}
	}
}

type checked struct {
	URL      string          `env:"SHOP_DATABASE_URL,required"`
	Interval time.Duration   `env:"SHOP_PRICE_INTERVAL" envDefault:"1s"`
	Limit    int             `env:"SHOP_LIMIT" envDefault:"5"`
	Token    settings.Secret `env:"SHOP_TOKEN"`
	Key      settings.Secret `env:"SHOP_KEY"`
}

func (c *checked) Check() (problems []error) {
	if c.Interval <= 0 {
		problems = append(problems, errors.New("SHOP_PRICE_INTERVAL: must be above zero"))
	}
	if c.Limit < 1 {
		problems = append(problems, errors.New("SHOP_LIMIT: must be at least 1"))
	}
	return problems
}

func TestAllProblemsAreReportedTogether(t *testing.T) {
	if err := settings.Load(&checked{}, []string{"SHOP_DATABASE_URL=x"}, "SHOP_"); err != nil {
		t.Errorf("defaults: %v", err)
	}
	missing := filepath.Join(t.TempDir(), "absent")
	err := settings.Load(&checked{}, []string{
		"SHOP_PRICE_INTERVAL=soon", "SHOP_LIMIT=0", "SHOP_TOKEN_FILE=" + missing,
		"SHOP_KEY=hunter2", "SHOP_KEY_FILE=" + missing, "SHOP_LIMITS=1", "SHOP_LIMITZ=1", "SHOP_DATABASE_URL=",
	}, "SHOP_")
	want := []string{
		"SHOP_KEY and SHOP_KEY_FILE are both set",
		"SHOP_LIMITS is not a setting; did you mean SHOP_LIMIT?",
		"SHOP_LIMITZ is not a setting; did you mean SHOP_LIMIT?",
		"SHOP_TOKEN_FILE: open " + missing,
		`"SHOP_DATABASE_URL" is not set`,
		"SHOP_PRICE_INTERVAL: ", // once
		"SHOP_LIMIT: must be at least 1",
	}
	lines := strings.Split(fmt.Sprint(err), "\n")[1:]
	if !slices.EqualFunc(lines, want, strings.Contains) {
		t.Errorf("problems:\n%s\nwant %q", err, want)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v does not wrap why a file is unreadable", err)
	}
	if strings.Contains(err.Error(), "hunter2") {
		t.Errorf("error %v shows a secret", err)
	}
}

func TestIsOrigin(t *testing.T) {
	for origin, want := range map[string]bool{
		"https://app.example.pl": true, "http://localhost:3000": true, "https://app.example.pl:8443": true,
		"http://[::1]:3000": true, "http://app.example:443": true, "https://app.example:80": true,
		"": false, "*": false, "null": false, "app.example.pl": false, "//app.example.pl": false,
		"ftp://app.example.pl": false, "https://": false, "https://:8443": false,
		"https://app.example.pl/": false, "https://app.example.pl/x": false, "https://app.example.pl?x": false,
		"https://app.example.pl#x":   false,
		"https://u:p@app.example.pl": false, "https://*.example.pl": false, "https://App.example.pl": false,
		"HTTPS://app.example.pl":     false,
		"https://app.example.pl:443": false, "http://app.example.pl:80": false, "https://app.example.pl:": false,
		" https://app.example.pl": false,
		"https://żółw.example":    false, "https://a.example, https://b.example": false,
	} {
		if settings.IsOrigin(origin) != want {
			t.Errorf("IsOrigin(%q) is not %t", origin, want)
		}
	}
}

func TestSecretNeverPrints(t *testing.T) {
	type credentials struct {
		ID     string
		Secret settings.Secret
		More   []settings.Secret
	}
	const value = "hunter2"
	prints := map[string]func(v any) string{
		"slog text": func(v any) string {
			var out bytes.Buffer
			slog.New(slog.NewTextHandler(&out, nil)).Info("loaded", "value", v)
			return out.String()
		},
		"slog json": func(v any) string {
			var out bytes.Buffer
			slog.New(slog.NewJSONHandler(&out, nil)).Info("loaded", "value", v)
			return out.String()
		},
		"json": func(v any) string {
			out, err := json.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			return string(out)
		},
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%t"} {
		prints[verb] = func(v any) string { return fmt.Sprintf(verb, v) }
	}
	if got := fmt.Sprint(settings.Secret("")); got != "" {
		t.Errorf("an empty secret prints as %q", got)
	}
	if got := settings.Secret(value).Reveal(); got != value {
		t.Errorf("Reveal = %q, want %q", got, value)
	}
	whole := credentials{ID: "demo", Secret: value, More: []settings.Secret{value}}
	for name, format := range prints {
		for _, v := range []any{settings.Secret(value), whole, &whole, map[string]settings.Secret{"key": value}} {
			got := format(v)
			if strings.Contains(got, value) || strings.Contains(strings.ToLower(got), fmt.Sprintf("%x", value)) {
				t.Errorf("%s of %T prints the secret: %s", name, v, got)
			}
			if _, pointer := v.(*credentials); !pointer && !strings.Contains(got, "[set]") {
				t.Errorf("%s of %T does not say that the secret is set: %s", name, v, got)
			}
		}
	}
}

func TestLegalNamesInvalidAndMissingSettings(t *testing.T) {
	l := settings.Legal{Privacy: &url.URL{Path: "/p"}, Contact: "biuro"}
	const want = "X_PRIVACY_URL: must be an http(s) address\n" +
		"X_CONTACT: must be an e-mail address or an http(s) address"
	if got := errors.Join(l.Check("X_")...); fmt.Sprint(got) != want {
		t.Errorf("Check = %q, want %q", got, want)
	}
	if got, want := l.Missing("X_"), []string{"X_TERMS_URL"}; !slices.Equal(got, want) {
		t.Errorf("Missing = %q, want %q", got, want)
	}
	every := []string{"X_PRIVACY_URL", "X_TERMS_URL", "X_CONTACT"}
	if got := (settings.Legal{}).Missing("X_"); !slices.Equal(got, every) {
		t.Errorf("Missing without settings = %q, want %q", got, every)
	}
}

func TestLegalContact(t *testing.T) {
	for _, contact := range []string{"", "a@b.example", "https://b.example/x"} {
		if problems := (settings.Legal{Contact: contact}).Check("X_"); problems != nil {
			t.Errorf("contact %q: problems %v, want none", contact, problems)
		}
	}
	for contact, href := range map[string]string{
		"biuro+a@b.example": "mailto:biuro+a@b.example", "a?subject=b@c.example": "mailto:a%3Fsubject=b@c.example",
		"https://b.example/x?y=1": "https://b.example/x?y=1", "biuro": "",
	} {
		if got := (settings.Legal{Contact: contact}).ContactHref(); got != href {
			t.Errorf("ContactHref of %q = %q, want %q", contact, got, href)
		}
	}
	for _, contact := range []string{"javascript:alert(1)", "A <a@b.example>", "ftp://b.example"} {
		if (settings.Legal{Contact: contact}).Check("X_") == nil {
			t.Errorf("contact %q is accepted", contact)
		}
	}
}
