// Package archtest tests the import rules of a module.
package archtest

import (
	"bytes"
	"encoding/json"
	"os/exec"
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
	// Confined lists the packages that may import an import path prefix.
	Confined map[string][]string
}

// listed is a package as go list prints it.
type listed struct {
	ImportPath       string
	GoFiles, Imports []string // without tests
	Module           struct{ Path string }
}

// Check reports every import in the working directory's module that violates a rule.
func Check(t testing.TB, rules Rules) {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,GoFiles,Imports,Module", "./...")
	cmd.Env = append(cmd.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	layers := map[string]int{}
	for i, layer := range rules.Layers {
		for _, pkg := range layer {
			layers[pkg] = i
		}
	}
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var p listed
		if err := decoder.Decode(&p); err != nil {
			t.Fatalf("go list: %v", err)
		}
		if len(p.GoFiles) > 0 {
			rules.check(t, layers, p)
		}
	}
}

func (r Rules) check(t testing.TB, layers map[string]int, p listed) {
	t.Helper()
	pkg := relative(p.ImportPath, p.Module.Path)
	layer, isLayered := layers[pkg]
	forTests := slices.Contains(r.ForTests, pkg)
	if !isLayered && !forTests {
		t.Errorf("package %s is in no layer", pkg)
		return
	}
	for _, imported := range p.Imports {
		local := relative(imported, p.Module.Path)
		importedLayer, hasLayer := layers[local]
		isLower := hasLayer && importedLayer < layer
		inOrder := local == "" || forTests || isLower
		if !inOrder || !r.mayImport(pkg, imported) {
			t.Errorf("%s must not import %s", pkg, imported)
		}
	}
}

// mayImport reports whether Confined allows an import.
func (r Rules) mayImport(pkg, imported string) bool {
	for prefix, users := range r.Confined {
		isBelow := imported == prefix || strings.HasPrefix(imported, prefix+"/")
		if isBelow && !slices.Contains(users, pkg) {
			return false
		}
	}
	return true
}

// relative returns how Rules name the package with that path, "" for one of another module.
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
