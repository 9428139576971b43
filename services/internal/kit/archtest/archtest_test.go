package archtest

import (
	"slices"
	"testing"
)

func TestViolations(t *testing.T) {
	got := violations("m.example/svc", []sourceFile{
		{"m.example/svc", "main.go", []string{"m.example/svc/note", "m.example/svc/web"}},
		{"m.example/svc/note", "http.go", []string{"gorm.io/gorm", "m.example/svc/web"}},
		{"m.example/svc/note", "store.go", []string{"gorm.io/gorm", "m.example/svcother"}},
		{"m.example/svc/database", "open.go", []string{"gorm.io/gorm"}},
		{"m.example/svc/web", "page.go", []string{"gorm.io/gorm/clause", "fmt"}},
		{"m.example/svc/webtest", "webtest.go", []string{"m.example/svc/web", "gorm.io/gorm"}},
		{"m.example/svc/web", "fake.go", []string{"m.example/svc/webtest"}},
		{"m.example/svc/new", "a.go", nil},
		{"m.example/svc/new", "b.go", nil},
	}, Rules{
		Layers:   [][]string{{"database"}, {"note", "web"}, {"."}},
		ForTests: []string{"webtest"},
		Confined: map[string][]string{"gorm.io/gorm": {"database", "store.go"}},
	})
	want := []string{
		"note/http.go must not import gorm.io/gorm",
		"note/http.go must not import m.example/svc/web",
		"package new is in no layer",
		"web/fake.go must not import m.example/svc/webtest",
		"web/page.go must not import gorm.io/gorm/clause",
		"webtest/webtest.go must not import gorm.io/gorm",
	}
	if !slices.Equal(got, want) {
		t.Errorf("violations:\n got %q\nwant %q", got, want)
	}
}

func TestListReturnsFilesWithoutTests(t *testing.T) {
	module, files, err := list()
	if err != nil || module != "backend.example/services/internal/kit" || len(files) != 1 {
		t.Fatalf("%s: %+v, %v", module, files, err)
	}
	if f := files[0]; f.name != "archtest.go" || !slices.Contains(f.imports, "go/parser") {
		t.Errorf("%+v", f)
	}
}
