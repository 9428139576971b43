package httpapi

import (
	"net/url"
	"strings"

	"backend.example/services/internal/kit/fault"
)

// queryValue returns the first value of name in a raw query. Parameters are
// divided by "&" alone, as in the URL standard: a bare ";" is part of a value.
// Names are compared after decoding; an encoding error in the wanted parameter
// is the fault invalid_query_string.
func queryValue(rawQuery, name string) (value string, present bool, err error) {
	for rawQuery != "" {
		var pair string
		pair, rawQuery, _ = strings.Cut(rawQuery, "&")
		key, text, _ := strings.Cut(pair, "=")
		if key, err := url.QueryUnescape(key); err != nil || key != name {
			continue
		}
		value, err := url.QueryUnescape(text)
		if err != nil {
			return "", true, fault.Wrap(err, fault.Invalid, "invalid_query_string", "Parametry adresu są nieprawidłowo zakodowane.")
		}
		return value, true, nil
	}
	return "", false, nil
}
