package places

import (
	"net/http"
	"reflect"
	"slices"
	"strings"

	"backend.example/deploy/sandbox/internal/googleapi"
)

// readMask reads the field mask of the header, or of the address, whose paths must
// lead to fields of the struct of shape.
func readMask(r *http.Request, shape any) (googleapi.Mask, error) {
	text := r.Header.Get("X-Goog-FieldMask")
	for _, name := range []string{"$fields", "fields"} {
		if text == "" {
			text = r.URL.Query().Get(name)
		}
	}
	if text == "" {
		return nil, googleapi.Invalid("FieldMask is a required parameter. See https://cloud.google.com/apis/docs/system-parameters on how to provide it. As an example, you can set the header 'X-Goog-FieldMask' to value '*' to get all fields.")
	}
	mask := googleapi.ParseMask(text)
	if path, unknown := mask.Unknown(shape); unknown {
		return nil, googleapi.Invalid("Error expanding 'fields' parameter. Cannot find matching fields for path '%s'.", path)
	}
	return mask, nil
}

// skus lists the classes of prices, cheapest first, as the tags of place name them
// and as the price list does. The dearest field decides the price of a request
// (https://developers.google.com/maps/billing-and-pricing/sku-details).
func skus() []sku {
	return []sku{
		{"ids", "Essentials (IDs Only)"}, {"essentials", "Essentials"}, {"pro", "Pro"},
		{"enterprise", "Enterprise"}, {"atmosphere", "Enterprise + Atmosphere"},
	}
}

type sku struct{ tag, name string }

// skuOf is the price class of the paths of place that a mask names. A text search
// has no class Essentials: it is Pro.
func skuOf(mask googleapi.Mask, search bool) string {
	class := 0
	for field := range reflect.TypeFor[place]().Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if asksFor(mask, name) {
			class = max(class, classOf(field.Tag.Get("sku")))
		}
	}
	if search {
		if skus()[class].tag == "essentials" {
			class++
		}
		return "Text Search " + skus()[class].name
	}
	return "Place Details " + skus()[class].name
}

func asksFor(mask googleapi.Mask, name string) bool {
	return slices.ContainsFunc(mask, func(path string) bool {
		top, _, _ := strings.Cut(path, ".")
		return top == name || top == "*"
	})
}

func classOf(tag string) int {
	return slices.IndexFunc(skus(), func(s sku) bool { return s.tag == tag })
}
