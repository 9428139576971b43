package main

import (
	"os"
	"strings"
	"testing"
)

// TestTheReadmeNamesEverything fails when a setting, fault, toggle or action is added
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
	for _, m := range mounts(config) {
		names = append(names, m.Name)
		for _, kind := range m.Injector.Kinds() {
			names = append(names, string(kind.Kind))
		}
		if m.Toggles != nil {
			for _, toggle := range m.Toggles.List() {
				names = append(names, toggle.Name)
			}
		}
		for _, action := range m.Actions {
			names = append(names, action.Name)
		}
	}
	for _, name := range names {
		if !strings.Contains(string(readme), "`"+name+"`") {
			t.Errorf("the README does not name `%s`", name)
		}
	}
}
