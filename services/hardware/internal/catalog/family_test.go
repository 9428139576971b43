package catalog_test

import (
	"testing"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/internal/kit/fault"
)

func TestParseFamilyAcceptsExactlyTheListedValues(t *testing.T) {
	for _, name := range catalog.Families() {
		if f, err := catalog.ParseFamily(name); err != nil || string(f) != name {
			t.Errorf("ParseFamily(%q) = %q, %v", name, f, err)
		}
	}
	for _, name := range []string{"", "GPU", "Gpu", " gpu", "gpus", "cpu,gpu", "psu", "gpu\x00"} {
		f, err := catalog.ParseFamily(name)
		if f != "" || !fault.Is(err, "unknown_type") || fault.From(err).Kind != fault.Invalid {
			t.Errorf("ParseFamily(%q) = %q, %v; want the fault unknown_type", name, f, err)
		}
	}
}

func TestUpperIsTheFamilyAsRowsCarryIt(t *testing.T) {
	if got := catalog.Family("gpu").Upper(); got != "GPU" {
		t.Errorf("Upper() = %q, want GPU", got)
	}
}

func TestListsAreTheCallersOwn(t *testing.T) {
	catalog.Families()[0], catalog.Categories()[0] = "changed", "changed"
	if catalog.Families()[0] != "cpu" || catalog.Categories()[0] != "cpu" {
		t.Error("a caller changed the list for everybody")
	}
}

// codeOf is the code of err's fault, "" without an error.
func codeOf(err error) string {
	if err == nil {
		return ""
	}
	return fault.From(err).Code
}
