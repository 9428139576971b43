// Package archtest holds a module to its import rules: which of its packages may
// import which others, and where a foreign library may be used.
package archtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Rules are the import rules of one module. Packages are named relative to the
// module, "." being its root. Only imports of non-test files count.
type Rules struct {
	// Local lists, for every package of the module, the packages of the same
	// module that it may import. A package without an entry is an error.
	Local map[string][]string
	// Confined lists, for an import path prefix, the packages that may import it.
	Confined map[string][]string
	// Pure lists the packages that know nothing of the outside, each with the paths of
	// other modules that it may import all the same. Of the standard library they may
	// not import what reads or writes networks, files, databases and formats of others.
	Pure map[string][]string
}

// outside are prefixes of the standard library that a pure package may not import.
var outside = []string{"net/http", "net/netip", "net/textproto", "net/smtp", "net/rpc", "net/mail", "html", "database", "encoding/csv", "os", "embed"}

type listed struct {
	ImportPath string
	Imports    []string
	Module     struct{ Path string }
}

// Check lists the packages of the module in the working directory and reports
// every import that breaks a rule.
func Check(t testing.TB, rules Rules) {
	t.Helper()
	packages, err := list()
	if err != nil {
		t.Fatal(err)
	}
	for _, violation := range violations(packages, rules) {
		t.Error(violation)
	}
}

func list() ([]listed, error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Module", "./...")
	cmd.Env = append(cmd.Environ(), "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.String())
	}
	var packages []listed
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
}

func violations(packages []listed, rules Rules) (found []string) {
	for _, p := range packages {
		name := relative(p.ImportPath, p.Module.Path)
		allowed, ruled := rules.Local[name]
		if !ruled {
			found = append(found, fmt.Sprintf("package %s has no rule", name))
			continue
		}
		others, pure := rules.Pure[name]
		for _, imported := range p.Imports {
			if pure && knowsOutside(imported, p.Module.Path, others) {
				found = append(found, fmt.Sprintf("package %s must not import %s", name, imported))
			}
			if local := relative(imported, p.Module.Path); local != "" && !slices.Contains(allowed, local) {
				found = append(found, fmt.Sprintf("package %s must not import %s", name, local))
			}
			for prefix, users := range rules.Confined {
				if under(imported, prefix) && !slices.Contains(users, name) {
					found = append(found, fmt.Sprintf("package %s must not import %s", name, imported))
				}
			}
		}
	}
	slices.Sort(found)
	return found
}

// knowsOutside is whether an import leads a pure package of the module outside.
func knowsOutside(path, module string, others []string) bool {
	if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") {
		return !under(path, module) && !slices.Contains(others, path)
	}
	return path == "net" || slices.ContainsFunc(outside, func(prefix string) bool { return under(path, prefix) })
}

// relative names a package within module, "" when it is not of the module.
func relative(path, module string) string {
	switch {
	case path == module:
		return "."
	case under(path, module):
		return strings.TrimPrefix(path, module+"/")
	}
	return ""
}

func under(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}
