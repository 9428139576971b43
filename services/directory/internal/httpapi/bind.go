package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"

	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/fault"
)

// fields are the fields of a request's body by their exact names. Fields that
// nobody asks for are ignored. A field that is null, or an empty text, is absent.
type fields map[string]json.RawMessage

// readJSON reads a body that is one JSON object. Anything else, another content
// type too, is the fault no_json.
func readJSON(c echo.Context) (fields, error) {
	if mediaType(c.Request()) != echo.MIMEApplicationJSON {
		return nil, noJSON(nil)
	}
	raw, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return nil, unreadable(err)
	}
	var f fields
	if err := json.Unmarshal(raw, &f); err != nil || f == nil {
		return nil, noJSON(err)
	}
	return f, nil
}

// readJSONOrForm is readJSON, but reads a form too. No body at all has no fields.
func readJSONOrForm(c echo.Context) (f fields, err error) {
	r := c.Request()
	switch mediaType(r) {
	case "":
		return nil, nil
	case echo.MIMEApplicationForm:
		err = r.ParseForm()
	case echo.MIMEMultipartForm:
		err = r.ParseMultipartForm(BodyLimit)
	default:
		return readJSON(c)
	}
	if err != nil {
		return nil, unreadable(err)
	}
	f = fields{}
	for name, values := range r.PostForm {
		if f[name], err = json.Marshal(values[0]); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func mediaType(r *http.Request) string {
	kind, _, err := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	if err != nil {
		return ""
	}
	return kind
}

func noJSON(err error) error {
	return fault.Wrap(err, fault.Invalid, "no_json", "Żądanie nie zawiera danych w formacie JSON.")
}

// unreadable leaves a body over its limit to the error handler.
func unreadable(err error) error {
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return err
	}
	return fault.Wrap(err, fault.Invalid, "unreadable_body", "Nie udało się odczytać treści żądania.")
}

func missing(name string) error {
	return fault.New(fault.Invalid, "missing_field", fmt.Sprintf("Pole %s jest wymagane.", name))
}

func invalid(name string) error {
	return fault.New(fault.Invalid, "invalid_field", fmt.Sprintf("Nieprawidłowa wartość pola %s.", name))
}

// text reads a text, empty when it is absent.
func (f fields) text(name string) (text string, err error) {
	if raw := f[name]; raw != nil && json.Unmarshal(raw, &text) != nil {
		return "", invalid(name)
	}
	return text, nil
}

func (f fields) requiredText(name string) (string, error) {
	text, err := f.text(name)
	if err == nil && text == "" {
		err = missing(name)
	}
	return text, err
}

// key reads a text, or an integer as its digits.
func (f fields) key(name string) (string, error) {
	var number json.Number
	if raw := f[name]; len(raw) == 0 || raw[0] == '"' || json.Unmarshal(raw, &number) != nil {
		return f.text(name)
	}
	if _, err := strconv.ParseInt(number.String(), 10, 64); number != "" && err != nil {
		return "", invalid(name)
	}
	return number.String(), nil
}

func (f fields) requiredKey(name string) (string, error) {
	key, err := f.key(name)
	if err == nil && key == "" {
		err = missing(name)
	}
	return key, err
}

// id reads an identifier, 0 when it is absent: a positive integer, or its digits.
func (f fields) id(name string) (int64, error) {
	key, err := f.key(name)
	if err != nil || key == "" {
		return 0, err
	}
	id, ok := parseID(key)
	if !ok {
		return 0, invalid(name)
	}
	return id, nil
}

func (f fields) requiredID(name string) (int64, error) {
	id, err := f.id(name)
	if err == nil && id == 0 {
		err = missing(name)
	}
	return id, err
}

// flag reads a boolean, which is byDefault when it is absent.
func (f fields) flag(name string, byDefault bool) (bool, error) {
	flag := &byDefault
	if raw := f[name]; raw != nil && json.Unmarshal(raw, &flag) != nil {
		return false, invalid(name)
	}
	if flag == nil {
		return byDefault, nil
	}
	return *flag, nil
}

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

// parseID reads a positive integer without a sign.
func parseID(digits string) (int64, bool) {
	id, err := strconv.ParseUint(digits, 10, 63)
	return int64(id), err == nil && id > 0
}
