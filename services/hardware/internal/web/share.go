package web

import (
	"bytes"
	"compress/flate"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/cache"
	"backend.example/services/internal/kit/fault"
)

// A short address of a build is sharedPath with a code: shareVersion, and in base64url
// the build as DEFLATE (RFC 1951) with shareWords as its preset dictionary. The build is
// lines: its title, then the key and the name of each part. So nothing is stored, no
// address expires, and every replica reads every address. On request the code is stored, and
// the address is sharedPath with storedVersion and a digest of the code.
const (
	sharedPath    = "/kreator/z/"
	shareVersion  = "1"
	storedVersion = "2"
	// maxStored bounds a stored code in bytes.
	maxStored = 2 << 10
	// maxShared bounds the lines of a build in bytes: maxCarried names of 200 characters.
	maxShared = 32 << 10
)

// shareWords are what builds have in common, the most frequent ones last. Another
// dictionary needs another shareVersion: addresses that people keep were made with this
// one.
const shareWords = "\nusb SanDisk Extreme Pro USB 3.2 Kingston DataTraveler Max 128GB 256GB" +
	"\ncase Fractal Design Pop Air NZXT H5 Flow Lian Li Lancool Endorfy Signum SilentiumPC be quiet! " +
	"Pure Base 500DX Corsair 4000D Airflow Black White" +
	"\ncooling Noctua NH-D15 NH-U12A Thermalright Peerless Assassin 120 SE Arctic Liquid Freezer III 360 " +
	"Endorfy Fera 5 be quiet! Dark Rock Pro 4 ARGB" +
	"\npsu Corsair RM850x RM750e Seasonic Focus GX-750 be quiet! Straight Power 12 Pure Power 12 M 650W " +
	"750W 850W 1000W 80 Plus Gold" +
	"\nstorage WD Seagate Barracuda IronWolf 8TB 4TB Lexar NM790 Crucial P3 Plus T500 T705 WD Black " +
	"SN770 SN850X Samsung 980 PRO 990 EVO Plus Samsung 990 PRO NVMe PCIe 4.0 5.0 M.2 500GB 2TB 1TB" +
	"\nram Crucial Pro Patriot Viper G.SKILL Trident Z5 RGB Corsair Vengeance Kingston Fury Beast DDR4 " +
	"3200 C16 DDR5 6000 C30 C36 2x32GB 2x8GB 2x16GB" +
	"\nmotherboard ASRock Gigabyte Asus ROG Strix TUF Gaming Prime Aorus Elite Pro RS AX Plus MSI MAG " +
	"Tomahawk PRO B550 B760 X670E X870 Z790 B850 B650 -A -M WIFI" +
	"\ngpu Intel Arc B580 AMD Radeon RX 7600 7700 7800 XT 7900 XTX 9060 XT 9070 XT Sapphire Pulse Palit " +
	"Zotac Gainward Inno3D Gigabyte Windforce MSI Ventus Asus Dual OC 16GB 12GB 8GB Nvidia GeForce RTX " +
	"3060 4060 Ti 4080 4090 5090 5080 5060 Ti 5070 Ti Nvidia RTX 4070 SUPER" +
	"\ncpu Intel Core Ultra 7 265K Ultra 5 245K Intel Core i9-14900K Intel Core i7-14700KF Intel Core " +
	"i5-12400F Intel Core i5-14600K AMD Ryzen 9 9950X3D AMD Ryzen 7 9800X3D AMD Ryzen 5 5600 7600X AMD " +
	"Ryzen 5 9600X AMD Ryzen 7 7800X3D"

// shareWriters are reused: each takes about a megabyte.
var shareWriters = sync.Pool{New: func() any {
	w, err := flate.NewWriterDict(nil, flate.BestCompression, []byte(shareWords))
	if err != nil {
		panic(err) // the level is a constant
	}
	return w
}}

// sharedAddress is the short address of b.
func sharedAddress(b basket) string { return sharedPath + codeFor(b) }

// codeFor is the code in the short address of b.
func codeFor(b basket) string {
	var packed bytes.Buffer
	w, _ := shareWriters.Get().(*flate.Writer)
	defer shareWriters.Put(w)
	w.Reset(&packed)
	_, _ = io.WriteString(w, b.Title) // a bytes.Buffer takes all
	for _, i := range b.Items {
		_, _ = io.WriteString(w, "\n"+i.Kind.Key+" "+i.Query.Text)
	}
	_ = w.Close()
	return shareVersion + base64.RawURLEncoding.EncodeToString(packed.Bytes())
}

// parseShared reads the code of a short address.
func parseShared(code string) (basket, bool) {
	rest, ok := strings.CutPrefix(code, shareVersion)
	if !ok {
		return basket{}, false
	}
	packed, err := base64.RawURLEncoding.DecodeString(rest)
	if err != nil {
		return basket{}, false
	}
	r := flate.NewReaderDict(bytes.NewReader(packed), []byte(shareWords))
	text, err := io.ReadAll(io.LimitReader(r, maxShared+1))
	if err != nil || len(text) > maxShared {
		return basket{}, false
	}
	title, parts, _ := strings.Cut(string(text), "\n")
	values := url.Values{titleParameter: {title}}
	for line := range strings.SplitSeq(parts, "\n") {
		key, name, _ := strings.Cut(line, " ")
		values.Add(key, name)
	}
	b := parseBasket(values)
	return b, len(b.Items) > 0
}

// Builds stores the codes of builds by the ids of their short addresses. Get returns
// cache.ErrNoBuild for others.
type Builds interface {
	Put(ctx context.Context, id, code string) error
	Get(ctx context.Context, id string) (string, error)
}

// storedID is the id under which a code is stored: 80 bits of its digest.
func storedID(code string) string {
	sum := sha256.Sum256([]byte(code))
	return storedVersion + strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

var storedIDs = regexp.MustCompile(`^` + storedVersion + `[a-z2-7]{16}$`)

// shorten answers POST /kreator/z: it stores the build in the form, and leads to its page with
// the short address.
func (p *Pages) shorten(c echo.Context) error {
	r := c.Request()
	if err := new(http.CrossOriginProtection).Check(r); err != nil {
		return fault.Wrap(err, fault.Forbidden, "cross_origin", "Żądanie pochodzi z innej strony.")
	}
	if err := r.ParseForm(); err != nil {
		return fault.Wrap(err, fault.Invalid, "invalid_form", "Nie udało się odczytać formularza.")
	}
	b := parseBasket(r.PostForm)
	code := codeFor(b)
	if len(b.Items) == 0 || len(code) > maxStored {
		return fault.New(fault.Invalid, "invalid_build", "Adresu tego zestawu nie można skrócić.")
	}
	if err := p.Builds.Put(r.Context(), storedID(code), code); err != nil {
		return fault.Wrap(err, fault.Unavailable, "builds_unavailable",
			"Nie udało się skrócić adresu. Długi adres zestawu działa nadal.")
	}
	return c.Redirect(http.StatusSeeOther, address(buildPath, b, "krotki", storedID(code)))
}

// setShort replaces the address of the build by its short one, if that is stored.
func (p *Pages) setShort(c echo.Context, v *buildView) {
	code := strings.TrimPrefix(v.Shared, sharedPath)
	if c.QueryParam("krotki") != storedID(code) {
		return
	}
	if stored, _ := p.Builds.Get(c.Request().Context(), storedID(code)); stored == code {
		v.Shared, v.Stored = sharedPath+storedID(code), true
	}
}

// codeOf returns the code that an address has or stands for; it is empty if none is stored.
func (p *Pages) codeOf(ctx context.Context, code string) (string, error) {
	if !storedIDs.MatchString(code) {
		return code, nil
	}
	stored, err := p.Builds.Get(ctx, code)
	if err != nil && !errors.Is(err, cache.ErrNoBuild) {
		return "",
			fault.Wrap(err, fault.Unavailable, "builds_unavailable",
				"Nie udało się odczytać zestawu. Spróbuj ponownie później.")
	}
	return stored, nil
}

// shared answers GET /kreator/z/{kod}: a short address leads to the page of its build.
func (p *Pages) shared(c echo.Context) error {
	code, err := p.codeOf(c.Request().Context(), c.Param("kod"))
	if err != nil {
		return err
	}
	b, ok := parseShared(code)
	if !ok {
		return fault.New(fault.NotFound, "unknown_build", "Ten adres zestawu jest niepełny albo błędny, albo wygasł.")
	}
	return c.Redirect(http.StatusFound, address(buildPath, b))
}
