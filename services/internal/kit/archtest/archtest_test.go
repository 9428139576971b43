package archtest

import (
	"slices"
	"testing"
)

func TestViolations(t *testing.T) {
	module := struct{ Path string }{"m.example/svc"}
	packages := []goPackage{
		{ImportPath: "m.example/svc", Module: module, Imports: []string{"m.example/svc/store", "m.example/svc/web"}},
		{ImportPath: "m.example/svc/store", Module: module, Imports: []string{"gorm.io/gorm", "m.example/svc/web", "m.example/svcother"}},
		{ImportPath: "m.example/svc/web", Module: module, Imports: []string{"gorm.io/gorm/clause", "fmt"}},
		{ImportPath: "m.example/svc/new", Module: module},
		{ImportPath: "m.example/svc/core", Module: module, Imports: []string{
			"strings", "net", "net/url", "net/http", "os/exec", "encoding/json", "encoding/csv", "m.example/kit/fault",
			"m.example/kit/httpx", "m.example/svc/store",
		}},
	}
	got := violations(packages, Rules{
		Local:    map[string][]string{".": {"store", "web"}, "store": nil, "web": nil, "core": {"store"}},
		Confined: map[string][]string{"gorm.io/gorm": {"store"}},
		Pure:     map[string][]string{"core": {"m.example/kit/fault", "encoding/csv"}},
	})
	want := []string{
		"package core must not import encoding/json",
		"package core must not import m.example/kit/httpx",
		"package core must not import net",
		"package core must not import net/http",
		"package core must not import os/exec",
		"package new has no rule",
		"package store must not import web",
		"package web must not import gorm.io/gorm/clause",
	}
	if !slices.Equal(got, want) {
		t.Errorf("violations:\n got %q\nwant %q", got, want)
	}
}
