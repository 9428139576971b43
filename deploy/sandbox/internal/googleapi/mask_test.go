package googleapi_test

import (
	"encoding/json"
	"testing"

	"backend.example/deploy/sandbox/internal/googleapi"
)

type shop struct {
	Name  string  `json:"name"`
	Phone string  `json:"phone,omitempty"`
	Owner *owner  `json:"owner,omitempty"`
	Goods []goods `json:"goods,omitempty"`
	Moved any     `json:"moved,omitempty"`
}

type owner struct {
	First string `json:"first"`
	Last  string `json:"last"`
}

type goods struct {
	Name  string `json:"name"`
	Price int    `json:"price"`
}

func TestMaskUnknown(t *testing.T) {
	for text, want := range map[string]string{
		"name,owner.last,goods.price": "", "*": "", "moved": "", "goods": "",
		"name,colour": "colour", "owner.age": "owner.age", "name.first": "name.first", "": "", " name": " name", "moved.to": "moved.to",
	} {
		path, unknown := googleapi.ParseMask(text).Unknown(shop{})
		if text == "" {
			if !unknown {
				t.Error("an empty path is known")
			}
			continue
		}
		if path != want || unknown != (want != "") {
			t.Errorf("%q: got %q, %t", text, path, unknown)
		}
	}
}

func TestMaskApply(t *testing.T) {
	whole := shop{Name: "Bar", Owner: &owner{"Ala", "Kot"}, Goods: []goods{{"kawa", 9}, {"sok", 7}}}
	for text, want := range map[string]string{
		"name":                   `{"name":"Bar"}`,
		"phone":                  `{}`,
		"owner.last":             `{"owner":{"last":"Kot"}}`,
		"owner.last,owner":       `{"owner":{"first":"Ala","last":"Kot"}}`,
		"goods.price":            `{"goods":[{"price":9},{"price":7}]}`,
		"goods.price,goods.name": `{"goods":[{"name":"kawa","price":9},{"name":"sok","price":7}]}`,
		"*":                      `{"goods":[{"name":"kawa","price":9},{"name":"sok","price":7}],"name":"Bar","owner":{"first":"Ala","last":"Kot"}}`,
	} {
		masked, err := googleapi.ParseMask(text).Apply(whole)
		got, _ := json.Marshal(masked)
		if err != nil || string(got) != want {
			t.Errorf("%q: got %s, %v; want %s", text, got, err, want)
		}
	}
}

func TestMaskApplyToWhatIsNoJSON(t *testing.T) {
	for _, value := range []any{make(chan int), 7} {
		if got, err := googleapi.ParseMask("name").Apply(value); err == nil {
			t.Errorf("%v: got %v", value, got)
		}
	}
}
