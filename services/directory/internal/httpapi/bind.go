package httpapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/internal/kit/fault"
)

// The codes of requests that cannot be read.
var (
	CodeNoJSON           = fault.NewCode(fault.Invalid, "no_json", "Żądanie nie zawiera danych w formacie JSON.")
	CodeUnreadableBody   = fault.NewCode(fault.Invalid, "unreadable_body", "Nie udało się odczytać treści żądania.")
	CodeUnreadableForm   = fault.NewCode(fault.Invalid, "unreadable_form", "Nie udało się odczytać formularza.")
	CodeMissingField     = fault.NewCode(fault.Invalid, "missing_field", "Pole %s jest wymagane.")
	CodeInvalidField     = fault.NewCode(fault.Invalid, "invalid_field", "Nieprawidłowa wartość pola %s.")
	CodeInvalidParameter = fault.NewCode(fault.Invalid, "invalid_parameter", "Nieprawidłowa wartość parametru %s.")
)

// Key is a text of a request that may also be sent as an integer.
type Key string

// BindJSON reads a body that is one JSON object into a copy of absent, see bind.
// Any other body, another content type too, is the fault no_json.
func BindJSON[T any](c echo.Context, absent T) (T, error) {
	body, err := readJSON(c.Request())
	if err != nil {
		return absent, err
	}
	return bind(body, absent)
}

// BindJSONOrForm is BindJSON, but reads a form too. No body at all has no fields.
func BindJSONOrForm[T any](c echo.Context, absent T) (T, error) {
	body, err := readJSONOrForm(c.Request())
	if err != nil {
		return absent, err
	}
	return bind(body, absent)
}

// BindForm is BindJSON, but reads a form alone; the fault is unreadable_form.
func BindForm[T any](c echo.Context, absent T) (T, error) {
	if mediaType(c.Request()) != echo.MIMEApplicationForm {
		return absent, CodeUnreadableForm.Fault()
	}
	return BindJSONOrForm(c, absent)
}

// bind sets the fields with a tag `body:"name"` or `body:"name,required"`, also in an embedded struct.
// Those that the body leaves out, also as null or an empty text, stay as they are in absent. Names are
// exact; other fields of the body are ignored. The fault of the first field that is not good is
// missing_field or invalid_field.
func bind[T any](body fields, absent T) (T, error) {
	err := body.bind(reflect.ValueOf(&absent).Elem())
	return absent, err
}

func (f fields) bind(request reflect.Value) error {
	for field, value := range request.Fields() {
		if field.Anonymous {
			if err := f.bind(value); err != nil {
				return err
			}
			continue
		}
		name, option, _ := strings.Cut(field.Tag.Get("body"), ",")
		if err := f.read(name, value.Addr().Interface()); err != nil {
			return err
		}
		if option == "required" && value.IsZero() {
			return CodeMissingField.Of(name)
		}
	}
	return nil
}

// fields are the fields of a request's body by their exact names.
type fields map[string]json.RawMessage

func readJSON(r *http.Request) (fields, error) {
	if mediaType(r) != echo.MIMEApplicationJSON {
		return nil, CodeNoJSON.Fault()
	}
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, unreadable(err)
	}
	var f fields
	if err := json.Unmarshal(raw, &f); err != nil || f == nil {
		return nil, CodeNoJSON.Wrap(err)
	}
	return f, nil
}

func readJSONOrForm(r *http.Request) (f fields, err error) {
	switch mediaType(r) {
	case "":
		return nil, nil
	case echo.MIMEApplicationForm:
		err = r.ParseForm()
	case echo.MIMEMultipartForm:
		err = r.ParseMultipartForm(BodyLimit)
	default:
		return readJSON(r)
	}
	if err != nil {
		return nil, unreadable(err)
	}
	f = fields{}
	for name, values := range r.PostForm {
		f[name], _ = json.Marshal(values[0]) // never fails for a text
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

// unreadable leaves a body over its limit to the error handler.
func unreadable(err error) error {
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) {
		return err
	}
	return CodeUnreadableBody.Wrap(err)
}

// read reads one field. The id of a company is an integer or its digits. A pointer to a text or to a
// list is nil if the field is left out, and not if it is empty.
func (f fields) read(name string, into any) (err error) {
	raw := f[name]
	switch into := into.(type) {
	case *string:
		*into, err = readText(raw)
	case **string:
		if raw != nil && string(raw) != "null" {
			*into = new(string)
			**into, err = readText(raw)
		}
	case *Key:
		*into, err = readKey(raw)
	case **int64:
		*into, err = readCompanyID(raw)
	case *bool, **bool, **[]string:
		if raw != nil {
			err = json.Unmarshal(raw, into) // null leaves it as it is
		}
	default:
		return fmt.Errorf("field %s: cannot bind %T", name, into)
	}
	if err != nil {
		return CodeInvalidField.Of(name)
	}
	return nil
}

func readText(raw json.RawMessage) (text string, err error) {
	if raw != nil {
		err = json.Unmarshal(raw, &text)
	}
	return text, err
}

func readKey(raw json.RawMessage) (Key, error) {
	var number json.Number
	if len(raw) == 0 || raw[0] == '"' || json.Unmarshal(raw, &number) != nil {
		text, err := readText(raw)
		return Key(text), err
	}
	if number != "" {
		if _, err := strconv.ParseInt(number.String(), 10, 64); err != nil {
			return "", err
		}
	}
	return Key(number.String()), nil
}

// readCompanyID is nil for null and for an empty text.
func readCompanyID(raw json.RawMessage) (*int64, error) {
	digits := string(raw)
	if digits == "null" || strings.HasPrefix(digits, `"`) {
		digits, _ = readText(raw) // JSON, so null or a text
	}
	if digits == "" {
		return nil, nil
	}
	return parseCompanyID(digits)
}

// PathParam undoes the percent-encoding that the router leaves if the path has an unusual one.
func PathParam(c echo.Context, name string) string {
	value := c.Param(name)
	if c.Request().URL.RawPath == "" {
		return value
	}
	plain, err := url.PathUnescape(value)
	if err != nil {
		return value
	}
	return plain
}

// PathID reads the positive integer id of the path; ok is false for anything else.
func PathID(c echo.Context) (id int64, ok bool) {
	id, err := parseID(c.Param("id"))
	return id, err == nil
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
	integer      = regexp.MustCompile(`^-?[0-9]+$`)
	errNotNumber = errors.New("not such an integer")
)

// parseCompanyID reads an integer. One that no company can have is the id of none: 0.
func parseCompanyID(digits string) (*int64, error) {
	if !integer.MatchString(digits) {
		return nil, errNotNumber
	}
	id, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || id < 0 {
		id = 0
	}
	return &id, nil
}

// parseID reads a positive integer without a sign.
func parseID(digits string) (int64, error) {
	id, err := strconv.ParseUint(digits, 10, 63)
	if err != nil || id == 0 {
		return 0, errNotNumber
	}
	return int64(id), nil
}
