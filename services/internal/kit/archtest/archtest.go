// Package archtest tests the import rules of a module: which of its packages may
// import which others, and which packages may use a library of somebody else.
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
	// Pure lists the packages that do no input or output and know no wire format.
	// Of the standard library they may not import what ioPackages names, and nothing
	// of other modules. The list of each package holds its exceptions.
	Pure map[string][]string
}

// ioPackages are the packages of the standard library, with all below them, that a
// pure package may not import. Of net it may import net/url alone.
var ioPackages = []string{
	"compress", "database", "embed", "encoding/csv", "encoding/gob", "encoding/json", "encoding/xml", "html",
	"net/http", "net/mail", "net/netip", "net/rpc", "net/smtp", "net/textproto", "os",
}

type goPackage struct {
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

func list() ([]goPackage, error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,Module", "./...")
	cmd.Env = append(cmd.Environ(), "GOWORK=off")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w: %s", err, stderr.String())
	}
	var packages []goPackage
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
}

func violations(packages []goPackage, rules Rules) (found []string) {
	for _, p := range packages {
		name := relative(p.ImportPath, p.Module.Path)
		allowed, ruled := rules.Local[name]
		if !ruled {
			found = append(found, fmt.Sprintf("package %s has no rule", name))
			continue
		}
		exceptions, pure := rules.Pure[name]
		for _, imported := range p.Imports {
			if pure && impure(imported, p.Module.Path) && !slices.Contains(exceptions, imported) {
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

// impure reports whether a pure package of the module may not import path.
func impure(path, module string) bool {
	if host, _, _ := strings.Cut(path, "/"); strings.Contains(host, ".") {
		return !under(path, module)
	}
	return path == "net" || slices.ContainsFunc(ioPackages, func(prefix string) bool { return under(path, prefix) })
}

// relative names a package within module; it is empty for a package of another one.
func relative(path, module string) string {
	switch {
	case path == module:
		return "."
	case under(path, module):
		return strings.TrimPrefix(path, module+"/")
	}
	return ""
}

// under reports whether path is prefix or below it.
func under(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}
