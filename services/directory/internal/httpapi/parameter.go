package httpapi

import (
	"errors"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
)

// pathParam undoes the percent-encoding of a part of the path. The router leaves
// it there when the path is not encoded in the usual way.
func pathParam(c echo.Context, name string) string {
	value := c.Param(name)
	if c.Request().URL.RawPath == "" {
		return value
	}
	if plain, err := url.PathUnescape(value); err == nil {
		return plain
	}
	return value
}

// queryID reads a positive integer of the query, 0 when it is absent or empty.
func queryID(c echo.Context, name string) (int64, error) {
	text := c.QueryParam(name)
	if text == "" {
		return 0, nil
	}
	id, err := parseID(text)
	if err != nil {
		return 0, directory.CodeInvalidParameter.Of(name)
	}
	return id, nil
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
