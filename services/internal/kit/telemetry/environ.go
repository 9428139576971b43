package telemetry

import (
	"errors"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// target says where and how spans are sent.
type target struct {
	address string // of the collector, with the path; may hold a password
	header  http.Header
	timeout time.Duration // of one batch, with all attempts
	gzip    bool
}

// readTarget reads from the environment whether to trace, and where to. Unlike the
// specification, which has every SDK send to localhost unless told otherwise, it
// wants a word: an endpoint, or OTEL_TRACES_EXPORTER=otlp. The variables that say
// what to trace (sampler, batches, resource) are read by the SDK itself.
//
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
func readTarget() (t target, on bool, err error) {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") {
		return t, false, nil
	}
	_, endpoint := option("ENDPOINT")
	switch exporter := os.Getenv("OTEL_TRACES_EXPORTER"); {
	case exporter == "none", exporter == "" && endpoint == "":
		return t, false, nil
	case exporter != "" && exporter != "otlp":
		return t, false, errors.New("OTEL_TRACES_EXPORTER: otlp and none are known")
	}
	t, err = readOptions()
	return t, err == nil, err
}

// option returns the value of a setting of the exporter, and the variable that it
// is from: the one for traces comes before the one for all signals.
//
// https://opentelemetry.io/docs/specs/otel/protocol/exporter/
func option(name string) (variable, value string) {
	for _, prefix := range []string{"OTEL_EXPORTER_OTLP_TRACES_", "OTEL_EXPORTER_OTLP_"} {
		variable = prefix + name
		if value = os.Getenv(variable); value != "" {
			break
		}
	}
	return variable, value
}

func readOptions() (t target, err error) {
	if variable, protocol := option("PROTOCOL"); protocol != "" && protocol != "http/json" {
		return t, errors.New(variable + ": http/json is the only one known")
	}
	if t.address, err = readAddress(); err != nil {
		return t, err
	}
	if t.header, err = readHeader(); err != nil {
		return t, err
	}
	t.timeout = 10 * time.Second
	if variable, value := option("TIMEOUT"); value != "" {
		ms, err := strconv.Atoi(value)
		if err != nil || ms <= 0 {
			return t, errors.New(variable + ": not a number of milliseconds above zero")
		}
		t.timeout = time.Duration(ms) * time.Millisecond
	}
	variable, compression := option("COMPRESSION")
	if compression != "" && compression != "none" && compression != "gzip" {
		return t, errors.New(variable + ": gzip and none are known")
	}
	t.gzip = compression == "gzip"
	return t, nil
}

// readAddress adds the path of the signal to the endpoint of all signals.
func readAddress() (string, error) {
	variable, endpoint := option("ENDPOINT")
	if endpoint == "" {
		endpoint = "http://localhost:4318"
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", errors.New(variable + ": not an http(s) address")
	}
	if variable == "OTEL_EXPORTER_OTLP_ENDPOINT" {
		u = u.JoinPath("v1", "traces")
	}
	return u.String(), nil
}

// nameChars may stand in the name of a header (RFC 9110, section 5.6.2).
const nameChars = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

// readHeader reads name=value,…, the values with percent-encoding.
func readHeader() (http.Header, error) {
	variable, list := option("HEADERS")
	header := http.Header{}
	for pair := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || name == "" || strings.Trim(name, nameChars) != "" || strings.ContainsFunc(value, unicode.IsControl) {
			return nil, errors.New(variable + ": not a list of name=value")
		}
		header.Set(name, value)
	}
	return header, nil
}
