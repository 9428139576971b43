// Package archtest tests the import rules of a module.
package archtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Rules are the import rules of one module. Packages are named relative to the module or its folder internal; the
// root is ".". Tests may import any package.
type Rules struct {
	// Layers lists every package, from the lowest layer to the highest. A package may import lower layers only.
	Layers [][]string
	// ForTests lists packages that only tests may import. They may import any package.
	ForTests []string
	// Confined lists the packages that may import an import path prefix. An entry that ends in .go is a file name
	// in any package.
	Confined map[string][]string
}

type sourceFile struct {
	pkg, name string // pkg is an import path
	imports   []string
}

// Check reports every import in the working directory's module that violates a rule.
func Check(t testing.TB, rules Rules) {
	t.Helper()
	module, files, err := list()
	if err != nil {
		t.Fatal(err)
	}
	for _, violation := range violations(module, files, rules) {
		t.Error(violation)
	}
}

// list returns the module's path and its files without tests.
func list() (module string, files []sourceFile, err error) {
	cmd := exec.Command("go", "list", "-json=Dir,ImportPath,GoFiles,Module", "./...")
	cmd.Env = append(cmd.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		return "", nil, fmt.Errorf("go list: %w", err)
	}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			Dir, ImportPath string
			GoFiles         []string
			Module          struct{ Path string }
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return module, files, nil
		} else if err != nil {
			return "", nil, fmt.Errorf("go list: %w", err)
		}
		module = p.Module.Path
		for _, name := range p.GoFiles {
			parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ImportsOnly)
			if err != nil {
				return "", nil, err
			}
			file := sourceFile{pkg: p.ImportPath, name: name}
			for _, spec := range parsed.Imports {
				file.imports = append(file.imports, strings.Trim(spec.Path.Value, "\""))
			}
			files = append(files, file)
		}
	}
}

func violations(module string, files []sourceFile, rules Rules) (found []string) {
	layers := map[string]int{}
	for i, layer := range rules.Layers {
		for _, pkg := range layer {
			layers[pkg] = i
		}
	}
	for _, file := range files {
		pkg := relative(file.pkg, module)
		layer, ok := layers[pkg]
		forTests := slices.Contains(rules.ForTests, pkg)
		if !ok && !forTests {
			found = append(found, fmt.Sprintf("package %s is in no layer", pkg))
			continue
		}
		for _, imported := range file.imports {
			local := relative(imported, module)
			lower, layered := layers[local]
			inOrder := local == "" || forTests || layered && lower < layer
			if !inOrder || !rules.mayImport(pkg, file.name, imported) {
				found = append(found, fmt.Sprintf("%s must not import %s", path.Join(pkg, file.name), imported))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

func (r Rules) mayImport(pkg, file, imported string) bool {
	for prefix, users := range r.Confined {
		if under(imported, prefix) && !slices.Contains(users, pkg) && !slices.Contains(users, file) {
			return false
		}
	}
	return true
}

// relative returns "" for a package of another module.
func relative(path, module string) string {
	if path == module {
		return "."
	}
	name, ok := strings.CutPrefix(path, module+"/")
	if !ok {
		return ""
	}
	return strings.TrimPrefix(name, "internal/")
}

func under(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}
