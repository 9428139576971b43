package fault_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"backend.example/services/internal/kit/fault"
)

func TestZeroKindIsInternal(t *testing.T) {
	var e fault.Error
	if e.Kind != fault.Internal {
		t.Errorf("Kind of the zero Error = %d, want Internal", e.Kind)
	}
}

func TestFromFindsTheOutermostFault(t *testing.T) {
	inner := fault.New(fault.NotFound, "company_not_found", "Nie znaleziono firmy.")
	outer := fault.Wrap(fmt.Errorf("load: %w", inner), fault.Upstream, "source_failed", "Źródło nie odpowiada.")
	tests := []struct {
		name string
		err  error
		want *fault.Error
	}{
		{"itself", inner, inner},
		{"wrapped", fmt.Errorf("a: %w", fmt.Errorf("b: %w", inner)), inner},
		{"joined", errors.Join(io.EOF, inner), inner},
		{"fault around fault", fmt.Errorf("handler: %w", outer), outer},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := fault.From(test.err); got != test.want {
				t.Errorf("From = %v, want %v", got, test.want)
			}
		})
	}
	if got := fault.From(nil); got != nil {
		t.Errorf("From(nil) = %v, want nil", got)
	}
}

func TestFromHidesAnUnclassifiedCause(t *testing.T) {
	cause := fmt.Errorf("dial db.inner:5432 as root: %w", io.ErrUnexpectedEOF)
	got := fault.From(cause)
	if got.Kind != fault.Internal || got.Code != "internal" {
		t.Errorf("kind, code = %d, %q, want Internal, internal", got.Kind, got.Code)
	}
	if got.Message == "" || strings.Contains(got.Message, "db.inner") {
		t.Errorf("message = %q, want a text without the cause", got.Message)
	}
	if other := fault.From(io.EOF); other.Message != got.Message {
		t.Errorf("messages of two causes differ: %q, %q", other.Message, got.Message)
	}
	if !errors.Is(got, io.ErrUnexpectedEOF) || !strings.Contains(got.Error(), "db.inner") {
		t.Errorf("the log loses the cause: %v", got)
	}
}

func TestIs(t *testing.T) {
	inner := fault.New(fault.NotFound, "company_not_found", "Nie znaleziono firmy.")
	tests := []struct {
		name string
		err  error
		code string
		want bool
	}{
		{"its code", inner, "company_not_found", true},
		{"wrapped", fmt.Errorf("load: %w", inner), "company_not_found", true},
		{"another code", inner, "user_not_found", false},
		{"outermost code", fault.Wrap(inner, fault.Upstream, "source_failed", ""), "source_failed", true},
		{"covered code", fault.Wrap(inner, fault.Upstream, "source_failed", ""), "company_not_found", false},
		{"unclassified", io.EOF, "internal", false},
		{"nil", nil, "", false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := fault.Is(test.err, test.code); got != test.want {
				t.Errorf("Is(%v, %q) = %t", test.err, test.code, got)
			}
		})
	}
}

func TestAfterCopies(t *testing.T) {
	busy := fault.Wrap(io.EOF, fault.Unavailable, "queue_full", "Spróbuj ponownie za chwilę.")
	waiting := busy.After(90 * time.Second)
	if waiting.RetryAfter != 90*time.Second {
		t.Errorf("RetryAfter = %s, want 1m30s", waiting.RetryAfter)
	}
	if busy.RetryAfter != 0 {
		t.Errorf("After changed the original: RetryAfter = %s", busy.RetryAfter)
	}
	waiting.RetryAfter = 0
	if *waiting != *busy {
		t.Errorf("copy = %+v, want %+v", *waiting, *busy)
	}
}

func TestErrorTextIsForTheLog(t *testing.T) {
	bare := fault.New(fault.Invalid, "query_too_short", "Wpisz co najmniej 3 znaki.")
	if got := bare.Error(); got != "query_too_short" {
		t.Errorf("Error = %q, want the code", got)
	}
	wrapped := fault.Wrap(io.EOF, fault.Timeout, "source_slow", "Źródło nie odpowiada.")
	if got := wrapped.Error(); got != "source_slow: EOF" {
		t.Errorf("Error = %q, want the code and the cause", got)
	}
	if !errors.Is(wrapped, io.EOF) {
		t.Error("errors.Is does not reach the cause")
	}
}
