package httpapi

import (
	"errors"
	"net/url"
	"regexp"
	"strconv"

	"github.com/labstack/echo/v4"
)

// PathParam undoes the percent-encoding of a part of the path. The router leaves
// it there when the path is not encoded in the usual way.
func PathParam(c echo.Context, name string) string {
	value := c.Param(name)
	if c.Request().URL.RawPath == "" {
		return value
	}
	if plain, err := url.PathUnescape(value); err == nil {
		return plain
	}
	return value
}

// QueryID reads a positive integer of the query, 0 when it is absent or empty.
func QueryID(c echo.Context, name string) (int64, error) {
	text := c.QueryParam(name)
	if text == "" {
		return 0, nil
	}
	id, err := parseID(text)
	if err != nil {
		return 0, CodeInvalidParameter.Of(name)
	}
	return id, nil
}

// QueryCompanyID reads the id of a company off the query, nil when it is absent or
// empty.
func QueryCompanyID(c echo.Context, name string) (*int64, error) {
	text := c.QueryParam(name)
	if text == "" {
		return nil, nil
	}
	id, err := parseCompanyID(text)
	if err != nil {
		return nil, CodeInvalidParameter.Of(name)
	}
	return id, nil
}

var (
	integer       = regexp.MustCompile(`^-?[0-9]+$`)
	errNotInteger = errors.New("not an integer")
)

// parseCompanyID reads an integer. One that no company can have, because it is zero,
// negative or too large, is an id all the same: of a company that is not there.
func parseCompanyID(digits string) (*int64, error) {
	if !integer.MatchString(digits) {
		return nil, errNotInteger
	}
	id, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || id < 0 {
		id = 0
	}
	return &id, nil
}

var errNotPositive = errors.New("not a positive integer")

// parseID reads a positive integer without a sign.
func parseID(digits string) (int64, error) {
	id, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || id == 0 {
		return 0, errNotPositive
	}
	return int64(id), nil
}
