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
	whole := credentials{ID: "demo", Secret: value, More: []settings.Secret{value}}
	prints := map[string]func(v any) string{
		"slog text": func(v any) string { return logged(v, textHandler) },
		"slog json": func(v any) string { return logged(v, jsonHandler) },
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

func TestSecretSaysWhetherItIsSet(t *testing.T) {
	for secret, want := range map[settings.Secret]string{"": "", "x": "[set]"} {
		if got := secret.String(); got != want {
			t.Errorf("String = %q, want %q", got, want)
		}
		if got := fmt.Sprint(secret); got != want {
			t.Errorf("Sprint = %q, want %q", got, want)
		}
	}
}

func TestSecretReveals(t *testing.T) {
	if got := settings.Secret("hunter2").Reveal(); got != "hunter2" {
		t.Errorf("Reveal = %q, want hunter2", got)
	}
}

func logged(v any, handler func(*bytes.Buffer) slog.Handler) string {
	var out bytes.Buffer
	slog.New(handler(&out)).Info("loaded", "value", v)
	return out.String()
}

func textHandler(out *bytes.Buffer) slog.Handler { return slog.NewTextHandler(out, nil) }

func jsonHandler(out *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(out, nil) }
