package hardware_test

import (
	"testing"

	"backend.example/services/hardware/internal/hardware"
	"backend.example/services/internal/kit/fault"
)

func TestParseFamilyAcceptsExactlyTheListedValues(t *testing.T) {
	for _, name := range hardware.Families() {
		if f, err := hardware.ParseFamily(name); err != nil || string(f) != name {
			t.Errorf("ParseFamily(%q) = %q, %v", name, f, err)
		}
	}
	for _, name := range []string{"", "GPU", "Gpu", " gpu", "gpus", "cpu,gpu", "psu", "gpu\x00"} {
		f, err := hardware.ParseFamily(name)
		if f != "" || !fault.Is(err, "unknown_type") || fault.From(err).Kind != fault.Invalid {
			t.Errorf("ParseFamily(%q) = %q, %v; want the fault unknown_type", name, f, err)
		}
	}
}

func TestUpperIsTheFamilyAsRowsCarryIt(t *testing.T) {
	if got := hardware.Family("gpu").Upper(); got != "GPU" {
		t.Errorf("Upper() = %q, want GPU", got)
	}
}

func TestListsAreTheCallersOwn(t *testing.T) {
	hardware.Families()[0], hardware.Categories()[0] = "changed", "changed"
	if hardware.Families()[0] != "cpu" || hardware.Categories()[0] != "cpu" {
		t.Error("a caller changed the list for everybody")
	}
}
