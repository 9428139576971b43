package settings_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"backend.example/services/internal/kit/settings"
)

type credentials struct {
	ID     string
	Secret settings.Secret
	More   []settings.Secret
}

func TestSecretNeverPrints(t *testing.T) {
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

func TestSecretValue(t *testing.T) {
	for secret, printed := range map[settings.Secret]string{"": "", "hunter2": "[set]"} {
		if secret.String() != printed || fmt.Sprint(secret) != printed || secret.Reveal() != string(secret) {
			t.Errorf("%q prints as %q and %q, want %q", secret.Reveal(), secret.String(), fmt.Sprint(secret), printed)
		}
	}
}
