package release

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const mit = "Permission is hereby granted, free of charge, to any person"

// TestLicences runs licences.sh with a fake go command for one module.
func TestLicences(t *testing.T) {
	for name, test := range map[string]struct {
		files map[string]string // of the module, which has the package a/b
		want  []string
		fails bool
	}{
		"all texts": {
			map[string]string{"LICENSE": mit, "NOTICE.txt": "notice", "a/COPYING": "of a", "a/b/LICENSE.md": "of b", "c/LICENSE": "not linked", "license.go": "not a text"},
			[]string{"=== example.com/x v1.0.0 (MIT)", "--- LICENSE\n\n" + mit, "--- NOTICE.txt\n\nnotice", "--- a/COPYING\n\nof a", "--- a/b/LICENSE.md\n\nof b"}, false,
		},
		"none":          {map[string]string{"README": mit}, []string{"example.com/x v1.0.0: unknown is not among"}, true},
		"a notice only": {map[string]string{"NOTICE": mit}, []string{"unknown is not among"}, true},
		"not allowed":   {map[string]string{"COPYING": "GNU AFFERO GENERAL PUBLIC LICENSE"}, []string{"GPL is not among"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder, bin := t.TempDir(), t.TempDir()
			write(t, filepath.Join(folder, "a", "b", "b.go"), "package b", 0o600)
			for path, text := range test.files {
				write(t, filepath.Join(folder, path), text, 0o600)
			}
			write(t, filepath.Join(bin, "root", "LICENSE"), mit, 0o600)
			write(t, filepath.Join(bin, "go"), `#!/usr/bin/env bash
case "$*" in
  'env GOROOT') echo "`+filepath.Join(bin, "root")+`" ;;
  'env GOVERSION') echo go1 ;;
  *) echo "example.com/x v1.0.0 `+folder+" "+filepath.Join(folder, "a", "b")+`" ;;
esac
`, 0o700)
			out, err := run(".", []string{"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH")}, "./licences.sh", ".")
			if (err != nil) != test.fails {
				t.Errorf("ended with %v", err)
			}
			for _, want := range test.want {
				if !strings.Contains(out, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			if strings.Contains(out, "not linked") || strings.Contains(out, "not a text") {
				t.Errorf("texts of unlinked packages, or code:\n%s", out)
			}
		})
	}
}
