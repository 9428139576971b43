package settings_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"backend.example/services/internal/kit/settings"
)

type checked struct {
	Interval time.Duration `env:"SHOP_INTERVAL" envDefault:"1s"`
	Limit    int           `env:"SHOP_LIMIT" envDefault:"5"`
}

func (c *checked) Check() (problems []error) {
	if c.Interval <= 0 {
		problems = append(problems, errors.New("SHOP_INTERVAL: must be above zero"))
	}
	if c.Limit < 1 {
		problems = append(problems, errors.New("SHOP_LIMIT: must be at least 1"))
	}
	return problems
}

func TestCheckerIsAsked(t *testing.T) {
	if err := settings.Load(&checked{}, nil, "SHOP_"); err != nil {
		t.Errorf("defaults: %v", err)
	}
	err := settings.Load(&checked{}, []string{"SHOP_INTERVAL=soon", "SHOP_LIMIT=0", "SHOP_LIMITS=1"}, "SHOP_")
	if err == nil {
		t.Fatal("nonsense was accepted")
	}
	for text, times := range map[string]int{"SHOP_INTERVAL: ": 1, "SHOP_LIMIT: must be at least 1": 1, "SHOP_LIMITS is not a setting": 1} {
		if n := strings.Count(err.Error(), text); n != times {
			t.Errorf("%q stands %d times, want %d, in:\n%v", text, n, times, err)
		}
	}
}

func TestForms(t *testing.T) {
	for address, want := range map[string]bool{"127.0.0.1:80": true, ":80": true, "[::1]:80": true, "localhost": false, "": false} {
		if settings.IsAddress(address) != want {
			t.Errorf("IsAddress(%q) is not %t", address, want)
		}
	}
	for address, want := range map[string]bool{
		"https://a.example": true, "http://127.0.0.1:80/x": true, "ftp://a.example": false, "https://": false, "https://u:p@a.example": false, "a.example": false,
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		if settings.IsWebURL(u) != want {
			t.Errorf("IsWebURL(%q) is not %t", address, want)
		}
	}
	if settings.IsWebURL(nil) {
		t.Error("nil is an address")
	}
}
