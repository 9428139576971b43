package archtest

import (
	"slices"
	"testing"
)

func TestViolations(t *testing.T) {
	module := struct{ Path string }{"m.example/svc"}
	packages := []listed{
		{ImportPath: "m.example/svc", Module: module, Imports: []string{"m.example/svc/store", "m.example/svc/web"}},
		{ImportPath: "m.example/svc/store", Module: module, Imports: []string{"gorm.io/gorm", "m.example/svc/web", "m.example/svcother"}},
		{ImportPath: "m.example/svc/web", Module: module, Imports: []string{"gorm.io/gorm/clause", "fmt"}},
		{ImportPath: "m.example/svc/new", Module: module},
	}
	got := violations(packages, Rules{
		Local:    map[string][]string{".": {"store", "web"}, "store": nil, "web": nil},
		Confined: map[string][]string{"gorm.io/gorm": {"store"}},
	})
	want := []string{
		"package new has no rule",
		"package store must not import web",
		"package web must not import gorm.io/gorm/clause",
	}
	if !slices.Equal(got, want) {
		t.Errorf("violations:\n got %q\nwant %q", got, want)
	}
}
