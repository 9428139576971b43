package web

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"backend.example/services/hardware/internal/builds"
	"backend.example/services/internal/kit/fault"
)

const (
	// sharedPath and an id are 28 characters.
	sharedPath = "/kreator/z/"
	// maxStored limits the parameters of a build, in bytes.
	maxStored = 4 << 10
)

// newShares allows each client 20 builds at once, then one every three minutes, in this process.
func newShares() *middleware.RateLimiterMemoryStore {
	return middleware.NewRateLimiterMemoryStoreWithConfig(middleware.RateLimiterMemoryStoreConfig{
		Rate: 1.0 / 180, Burst: 20, ExpiresIn: time.Hour,
	})
}

// idOf returns 85 bits of the digest of a build's parameters.
func idOf(build string) string {
	sum := sha256.Sum256([]byte(build))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:]))[:17]
}

var ids = regexp.MustCompile(`^[a-z2-7]{17}$`)

// share answers POST /kreator/z: it stores the build of the form and redirects to its page.
func (p *Pages) share(c echo.Context) error {
	r := c.Request()
	if err := new(http.CrossOriginProtection).Check(r); err != nil {
		return fault.Wrap(err, fault.Forbidden, "cross_origin", "Żądanie pochodzi z innej strony.")
	}
	if err := r.ParseForm(); err != nil {
		return fault.Wrap(err, fault.Invalid, "invalid_form", "Nie udało się odczytać formularza.")
	}
	b := parseBasket(r.PostForm)
	build := b.values().Encode()
	if len(b.Items) == 0 || len(build) > maxStored {
		return fault.New(fault.Invalid, "invalid_build", "Tego zestawu nie można udostępnić.")
	}
	if err := p.store(r, build); err != nil {
		return err
	}
	return c.Redirect(http.StatusSeeOther, address(buildPath, b, "krotki", idOf(build)))
}

// store limits new builds of a client.
func (p *Pages) store(r *http.Request, build string) error {
	_, err := p.Builds.Get(r.Context(), idOf(build))
	if errors.Is(err, builds.ErrNone) {
		allowed, _ := p.shares.Allow(p.callerOf(r).Client) // never fails
		if !allowed {
			return fault.New(fault.Limited, "too_many_builds",
				"Udostępniono już wiele zestawów. Spróbuj ponownie za kilka minut.").After(3 * time.Minute)
		}
		err = p.Builds.Put(r.Context(), idOf(build), build)
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "builds_unavailable",
			"Nie udało się utworzyć krótkiego adresu. Adres tej strony też prowadzi do zestawu.")
	}
	return nil
}

// shared answers GET /kreator/z/{kod}. The build is not remembered as the visitor's own.
func (p *Pages) shared(c echo.Context) error {
	id := c.Param("kod")
	unknown := fault.New(fault.NotFound, "unknown_build", "Nie ma już zestawu pod tym adresem, albo adres jest błędny.")
	if !ids.MatchString(id) {
		return unknown
	}
	stored, err := p.Builds.Get(c.Request().Context(), id)
	if errors.Is(err, builds.ErrNone) {
		return unknown
	}
	if err != nil {
		return fault.Wrap(err, fault.Unavailable, "builds_unavailable",
			"Nie udało się odczytać zestawu. Spróbuj ponownie później.")
	}
	values, _ := url.ParseQuery(stored) // shows what can be read
	return p.showBuild(c, parseBasket(values), id)
}

// buildCookie contains the parameters of the last build, for a visitor who comes back from a page outside the
// wizard. It is a session cookie and identifies nobody.
const buildCookie = "kreator_zestaw"

// maxBuildCookie is in bytes: browsers keep 4096 with name and attributes (RFC 6265 section 6.1).
const maxBuildCookie = 3500

func remember(c echo.Context) {
	b := parseBasket(c.QueryParams())
	if build := b.values().Encode(); len(b.Items) > 0 && len(build) <= maxBuildCookie {
		setBuildCookie(c, build, 0)
	}
}

func forget(c echo.Context) {
	if _, err := c.Cookie(buildCookie); err == nil {
		setBuildCookie(c, "", -1)
	}
}

func setBuildCookie(c echo.Context, code string, maxAge int) {
	secure := c.Scheme() == "https" // as the gateway says; the service may run without TLS
	c.SetCookie(&http.Cookie{       // #nosec G124 -- names parts alone
		Name: buildCookie, Value: code, Path: startPath, MaxAge: maxAge, HttpOnly: true, SameSite: http.SameSiteLaxMode,
		Secure: secure,
	})
}

func remembered(c echo.Context) (basket, bool) {
	cookie, err := c.Cookie(buildCookie)
	if err != nil || len(cookie.Value) > maxBuildCookie {
		return basket{}, false
	}
	values, err := url.ParseQuery(cookie.Value)
	if err != nil {
		return basket{}, false
	}
	b := parseBasket(values)
	return b, len(b.Items) > 0
}
