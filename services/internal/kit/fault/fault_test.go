package fault_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"backend.example/services/internal/kit/fault"
)

var (
	notFound = fault.New(fault.NotFound, "company_not_found", "Nie znaleziono firmy.")
	upstream = fault.Wrap(fmt.Errorf("load: %w", notFound), fault.Upstream, "source_failed", "Źródło nie odpowiada.")
)

func TestFromAndIs(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want *fault.Error // what From returns; nil: an internal one
		code string       // whether Is holds for it
		is   bool
	}{
		{name: "the fault itself", err: notFound, want: notFound, code: "company_not_found", is: true},
		{
			name: "wrapped twice", err: fmt.Errorf("a: %w", fmt.Errorf("b: %w", notFound)), want: notFound,
			code: "company_not_found", is: true,
		},
		{name: "joined", err: errors.Join(io.EOF, notFound), want: notFound, code: "company_not_found", is: true},
		{name: "another code", err: notFound, want: notFound, code: "user_not_found", is: false},
		{name: "outermost of two", err: fmt.Errorf("handler: %w", upstream), want: upstream, code: "source_failed",
			is: true},
		{name: "inner of two", err: upstream, want: upstream, code: "company_not_found", is: false},
		{name: "unclassified", err: io.EOF, want: nil, code: "internal", is: false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := fault.From(test.err); got != test.want && (test.want != nil || got.Kind != fault.Internal) {
				t.Errorf("From = %v, want %v", got, test.want)
			}
			if got := fault.Is(test.err, test.code); got != test.is {
				t.Errorf("Is(%q) = %t, want %t", test.code, got, test.is)
			}
		})
	}
	if got := fault.From(nil); got != nil || fault.Is(nil, "") {
		t.Errorf("From(nil) = %v, Is(nil) = %t; want nil and false", got, fault.Is(nil, ""))
	}
}

func TestFromHidesUnclassifiedCause(t *testing.T) {
	got := fault.From(fmt.Errorf("dial db.inner:5432 as root: %w", io.ErrUnexpectedEOF))
	if got.Kind != (fault.Error{}).Kind || got.Kind != fault.Internal || got.Code != "internal" {
		t.Errorf("kind, code = %d, %q, want the zero kind Internal, internal", got.Kind, got.Code)
	}
	if other := fault.From(io.EOF); got.Message == "" || got.Message != other.Message {
		t.Errorf("messages of two causes: %q and %q, want one fixed text", got.Message, other.Message)
	}
	if !errors.Is(got, io.ErrUnexpectedEOF) || !strings.Contains(got.Error(), "db.inner") {
		t.Errorf("the log loses the cause: %v", got)
	}
}

func TestCodeIsWhole(t *testing.T) {
	code := fault.NewCode(fault.Limited, "too_long", "Pole %s jest za długie.", "see --help", "or the manual")
	want := fault.Error{Kind: fault.Limited, Code: "too_long", Message: "Pole %s jest za długie.",
		Hint: "see --help or the manual"}
	wrapped, named := want, want
	wrapped.Err, named.Message = io.EOF, "Pole nazwa jest za długie."
	for got, want := range map[*fault.Error]fault.Error{code.Fault(): want, code.Wrap(io.EOF): wrapped,
		code.Of("nazwa"): named} {
		if *got != want {
			t.Errorf("%+v, want %+v", *got, want)
		}
	}
	if code.String() != "too_long" || !fault.Is(fmt.Errorf("a: %w", code.Fault()), code) {
		t.Errorf("the code is called %q", code)
	}
	if want := (fault.Error{Kind: fault.NotFound, Code: "company_not_found",
		Message: "Nie znaleziono firmy."}); *notFound != want {
		t.Errorf("New = %+v, want %+v", *notFound, want)
	}
	if want := (fault.Error{Kind: fault.Upstream, Code: "source_failed", Message: "Źródło nie odpowiada.",
		Err: upstream.Err}); *upstream != want {
		t.Errorf("Wrap = %+v, want %+v", *upstream, want)
	}
}
