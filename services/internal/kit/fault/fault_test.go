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
		want *fault.Error // what From returns; nil for a new one of kind Internal
		code string
		is   bool // what Is returns for code
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
			got := fault.From(test.err)
			if test.want != nil && got != test.want {
				t.Errorf("From = %v, want %v", got, test.want)
			}
			if test.want == nil && got.Kind != fault.Internal {
				t.Errorf("From = %v of kind %d, want Internal", got, got.Kind)
			}
			if got := fault.Is(test.err, test.code); got != test.is {
				t.Errorf("Is(%q) = %t, want %t", test.code, got, test.is)
			}
		})
	}
	if got := fault.From(nil); got != nil {
		t.Errorf("From(nil) = %v, want nil", got)
	}
	if fault.Is(nil, "") {
		t.Error("Is(nil) = true")
	}
}

func TestFromHidesUnclassifiedCause(t *testing.T) {
	got := fault.From(fmt.Errorf("dial db.inner:5432 as root: %w", io.ErrUnexpectedEOF))
	if got.Kind != fault.Internal || got.Code != "internal" {
		t.Errorf("kind %d, code %q; want Internal, internal", got.Kind, got.Code)
	}
	if other := fault.From(io.EOF); got.Message == "" || got.Message != other.Message {
		t.Errorf("messages of two causes: %q and %q, want one fixed text", got.Message, other.Message)
	}
	if !errors.Is(got, io.ErrUnexpectedEOF) {
		t.Errorf("%v does not wrap the cause", got)
	}
	if !strings.Contains(got.Error(), "db.inner") {
		t.Errorf("the text for logs %q does not contain the cause", got)
	}
}

func TestZeroKindIsInternal(t *testing.T) {
	if kind := (fault.Error{}).Kind; kind != fault.Internal {
		t.Errorf("zero kind = %d, want Internal", kind)
	}
}

func TestCodesBecomeFaults(t *testing.T) {
	const text, hint = "Pole %s jest za długie.", "see --help or the manual"
	code := fault.NewCode(fault.Limited, "too_long", text, "see --help", "or the manual")
	for name, test := range map[string]struct {
		got  *fault.Error
		want fault.Error
	}{
		"New": {notFound,
			fault.Error{Kind: fault.NotFound, Code: "company_not_found", Message: "Nie znaleziono firmy."}},
		"Code.Fault": {code.Fault(), fault.Error{Kind: fault.Limited, Code: "too_long", Message: text, Hint: hint}},
		"Code.Wrap": {code.Wrap(io.EOF),
			fault.Error{Kind: fault.Limited, Code: "too_long", Message: text, Hint: hint, Err: io.EOF}},
		"Code.Of": {code.Of("nazwa"),
			fault.Error{Kind: fault.Limited, Code: "too_long", Message: "Pole nazwa jest za długie.", Hint: hint}},
	} {
		if *test.got != test.want {
			t.Errorf("%s = %#v, want %#v", name, *test.got, test.want)
		}
	}
	if got := code.String(); got != "too_long" {
		t.Errorf("String = %q, want too_long", got)
	}
	if !fault.Is(fmt.Errorf("a: %w", code.Fault()), code) {
		t.Error("Is does not recognize the code of a wrapped fault")
	}
}
