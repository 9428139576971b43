package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/internal/issued"
)

// TestTheReadmeNamesEverything fails when a setting, fault, knob or action is added
// and the README does not tell of it.
func TestTheReadmeNamesEverything(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var config Config
	var names []string
	for _, s := range config.settings() {
		names = append(names, s.variable, "-"+s.flag, s.fallback)
	}
	for _, m := range mounts(config, issued.New(1, time.Now)) {
		names = append(names, m.Site.Name)
		for _, kind := range m.Site.Kinds {
			names = append(names, string(kind.Kind))
		}
		if m.Knobs != nil {
			for _, knob := range m.Knobs.Definitions() {
				names = append(names, knob.Name)
			}
		}
		if m.Memory != nil {
			for _, action := range m.Memory.Actions() {
				names = append(names, action.Name)
			}
		}
	}
	for _, name := range names {
		if !strings.Contains(string(readme), "`"+name+"`") {
			t.Errorf("the README does not name `%s`", name)
		}
	}
}
