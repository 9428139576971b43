package aggregator

import (
	"net/http"
	"net/url"
	"strings"

	"backend.example/deploy/sandbox/internal/seeded"
)

const (
	stylePath     = "/styl.css"
	picturePrefix = "/obraz/"
	pictureSuffix = ".svg"
)

// picturePath is the address of a drawn label, used for shops and brands.
func picturePath(label string) string {
	return picturePrefix + url.PathEscape(label) + pictureSuffix
}

type pictureView struct {
	Label string
	Hue   int
}

// showPicture draws the label of the path on a coloured plate.
func (s *site) showPicture(w http.ResponseWriter, r *http.Request, head string) {
	label, isPicture := strings.CutSuffix(strings.TrimPrefix("/"+head, picturePrefix), pictureSuffix)
	if !isPicture {
		s.fail(w, r, http.StatusNotFound, "Nie ma takiego obrazu")
		return
	}
	w.Header().Set("Content-Type", "image/svg+xml; charset=utf-8")
	view := pictureView{Label: label, Hue: seeded.IntN(360, "hue", label)}
	_ = s.pages.ExecuteTemplate(w, "picture", view)
}

func showStyle(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	style, err := templates.ReadFile("templates/style.css")
	if err != nil {
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(style)
}
