package browser

import (
	"bytes"
	"cmp"
	_ "embed"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"backend.example/deploy/test/harness"
)

var update = flag.Bool("update", false, "keep the pictures that this run takes")

const (
	tolerance = 100   // pixels of a million that may differ from the kept picture
	threshold = "0.1" // of pixelmatch: a smaller difference in colour, from 0 to 1, does not count
)

// still is the script that makes a page look the same at every time.
//
//go:embed still.js
var still string

// compare compares a state on a screen with its picture, if one is kept.
func (b *tab) compare(name string, look screen) {
	b.t.Helper()
	kept := harness.Path("deploy", "test", "browser", "pictures", name+"-"+look.name+".png")
	if _, err := os.Stat(kept); err != nil || look.noScripts {
		return
	}
	taken := b.stillPicture()
	if *update {
		harness.WriteFile(b.t, kept, string(taken))
		return
	}
	if problem := differs(b.t, kept, taken); problem != "" {
		b.t.Errorf("%s on a %s screen: %s; if the change is right, keep the new picture with `make pictures`",
			name, look.name, problem)
	}
}

// stillPicture returns a picture of the page as a small PNG, without what changes from run to run.
func (b *tab) stillPicture() []byte {
	b.t.Helper()
	evaluate[int](b, still, chromedp.EvalAwaitPromise)
	shot, err := chromedp.Run(b.ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.fail("take a picture", err)
	}
	evaluate[int](b, "unstill(), 0")
	decoded, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		b.t.Fatal(err)
	}
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, halved(decoded)); err != nil {
		b.t.Fatal(err)
	}
	return small.Bytes()
}

const (
	highest = 1100 // px at which pictures are cut: references are many times as high
	colours = 128  // size of the palette
)

// halved returns a picture of half the width and height with a palette of its most frequent colours.
func halved(from image.Image) *image.Paletted {
	size := image.Rect(0, 0, from.Bounds().Dx()/2, min(from.Bounds().Dy()/2, highest))
	full, counts := image.NewRGBA(size), map[color.RGBA]int{}
	for y := range size.Dy() {
		for x := range size.Dx() {
			c := mean(from.At(2*x, 2*y), from.At(2*x+1, 2*y), from.At(2*x, 2*y+1), from.At(2*x+1, 2*y+1))
			full.SetRGBA(x, y, c)
			counts[c]++
		}
	}
	frequent := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(counts[b]-counts[a], int(a.R)-int(b.R), int(a.G)-int(b.G), int(a.B)-int(b.B))
	})
	var palette color.Palette
	for _, c := range frequent[:min(colours, len(frequent))] {
		palette = append(palette, c)
	}
	nearest := map[color.RGBA]uint8{}
	for _, c := range frequent {
		nearest[c] = uint8(palette.Index(c))
	}
	small := image.NewPaletted(size, palette)
	for y := range size.Dy() {
		for x := range size.Dx() {
			small.SetColorIndex(x, y, nearest[full.RGBAAt(x, y)])
		}
	}
	return small
}

func mean(colours ...color.Color) color.RGBA {
	var sums [3]uint32
	for _, c := range colours {
		r, g, b, _ := c.RGBA()
		sums[0] = sums[0] + r>>8
		sums[1] = sums[1] + g>>8
		sums[2] = sums[2] + b>>8
	}
	n := uint32(len(colours))
	return color.RGBA{uint8(sums[0] / n), uint8(sums[1] / n), uint8(sums[2] / n), 0xff}
}

// pixelmatch compares two pictures. chromium.sh installs it.
var pixelmatch = harness.Path("deploy", "test", "browser", "node_modules", "pixelmatch", "bin", "pixelmatch")

var differentPixels = regexp.MustCompile(`different pixels: (\d+)`)

// differs compares a picture with the kept one and says how it differs; empty if it does not.
// It leaves both the picture and the difference in var/screenshots.
func differs(t *testing.T, kept string, taken []byte) string {
	t.Helper()
	folder, file := harness.Path("var", "screenshots"), filepath.Base(kept)
	before, err := os.ReadFile(kept)
	if err == nil && bytes.Equal(before, taken) {
		return ""
	}
	fresh, diff := filepath.Join(folder, "new-"+file), filepath.Join(folder, "diff-"+file)
	harness.WriteFile(t, fresh, string(taken))
	if err != nil {
		return "no picture is kept; see " + fresh
	}
	// The status is not needed: the output says how many pixels differ, or why there is no number.
	out, _ := exec.CommandContext(t.Context(), harness.Installed(t, "node"), pixelmatch, kept, fresh, diff, threshold).
		CombinedOutput()
	found := differentPixels.FindSubmatch(out)
	if found == nil {
		return "the size has changed (" + string(bytes.TrimSpace(out)) + "); see " + fresh
	}
	count, _ := strconv.Atoi(string(found[1])) // the pattern allows digits alone
	size, err := png.DecodeConfig(bytes.NewReader(taken))
	if err != nil {
		t.Fatal(err)
	}
	if count*1_000_000 <= tolerance*size.Width*size.Height {
		return ""
	}
	return strconv.Itoa(count) + " pixels have changed; see " + diff
}

func TestPicturesShowChangesOfStyle(t *testing.T) {
	colour, visits := "#0b5cad", 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/style.css" {
			w.Header().Set("Content-Type", "text/css")
			_, _ = fmt.Fprintf(w, "strong { color: %s }", colour)
			return
		}
		visits++
		_, _ = fmt.Fprintf(w,
			`<!DOCTYPE html><html lang="pl">
<head><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"></head>
<body><main><p><strong>Piekarnia</strong> o 12:%02d, %d stycznia 2026</p></main></body></html>`, visits, visits)
	}))
	defer server.Close()
	b := open(t, server.URL, desktop())
	kept := filepath.Join(t.TempDir(), "style.png")
	b.visit("/")
	harness.WriteFile(t, kept, string(b.stillPicture()))
	b.visit("/")
	if problem := differs(t, kept, b.stillPicture()); problem != "" {
		t.Errorf("another time and day: %s", problem)
	}
	colour = "#a52019"
	b.visit("/")
	if problem := differs(t, kept, b.stillPicture()); !strings.Contains(problem, "pixels have changed") {
		t.Errorf("another colour: %q", problem)
	}
	colour = "#0b5cad; font-size: 10rem"
	b.visit("/")
	b.emulateScreen(phone())
	if problem := differs(t, kept, b.stillPicture()); !strings.Contains(problem, "the size has changed") {
		t.Errorf("another size: %q", problem)
	}
}
