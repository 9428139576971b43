package googleapi_test

import (
	"encoding/json"
	"testing"

	"backend.example/deploy/sandbox/internal/googleapi"
)

type shop struct {
	Name  string `json:"name"`
	Phone string `json:"phone,omitempty"`
	Owner *owner `json:"owner,omitempty"`
}

type owner struct {
	First string `json:"first"`
}

func TestMask(t *testing.T) {
	for _, c := range []struct{ mask, unknown, want string }{
		{"name", "", `{"name":"Bar"}`},
		{"phone", "", `{}`},
		{"owner,name", "", `{"name":"Bar","owner":{"first":"Ala"}}`},
		{"name,colour", "colour", `{"name":"Bar"}`},
		{"owner.first", "owner.first", `{}`},
		{" name", " name", `{}`},
		{"*", "*", `{}`},
	} {
		mask := googleapi.ParseMask(c.mask)
		if name, unknown := mask.Unknown(shop{}); name != c.unknown || unknown != (c.unknown != "") {
			t.Errorf("%q: unknown is %q, %t", c.mask, name, unknown)
		}
		masked, err := mask.Apply(shop{Name: "Bar", Owner: &owner{"Ala"}})
		if got, _ := json.Marshal(masked); err != nil || string(got) != c.want {
			t.Errorf("%q: got %s, %v; want %s", c.mask, got, err, c.want)
		}
	}
}
