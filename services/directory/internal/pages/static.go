package pages

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"path"

	swagger "github.com/swaggest/swgui/v5/static"
)

// library are the files of Swagger UI that the reference needs.
var library = []string{"swagger-ui.css", "swagger-ui-bundle.js"}

// files are the static files of the pages in one folder: their own, and those of
// the library.
type files struct {
	fs.FS
	library map[string][]byte
}

func staticFiles() (fs.FS, error) {
	own, err := fs.Sub(static, "static")
	if err != nil {
		return nil, err
	}
	f := files{own, map[string][]byte{}}
	for _, name := range library {
		if f.library[name], err = unpack(name); err != nil {
			return nil, fmt.Errorf("%s of the API reference: %w", name, err)
		}
	}
	return f, nil
}

// unpack reads a file of the library, which comes compressed.
func unpack(name string) ([]byte, error) {
	packed, err := swagger.FS.ReadFile(name + ".gz")
	if err != nil {
		return nil, err
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}

// Glob implements fs.GlobFS.
func (f files) Glob(pattern string) ([]string, error) {
	names, err := fs.Glob(f.FS, pattern)
	for name := range f.library {
		if ok, _ := path.Match(pattern, name); ok {
			names = append(names, name)
		}
	}
	return names, err
}

// ReadFile implements fs.ReadFileFS.
func (f files) ReadFile(name string) ([]byte, error) {
	if content, ok := f.library[name]; ok {
		return content, nil
	}
	return fs.ReadFile(f.FS, name)
}
