package aggregator

import (
	"encoding/json"
	"html"
	"html/template"
	"strconv"

	"backend.example/deploy/sandbox/aggregator/products"
)

// object is a node of JSON-LD (https://schema.org).
type object map[string]any

// productJSONLD gives the blocks of a product page; the one with the offers
// is not the first. Names hold HTML entities, as on the site.
func productJSONLD(product products.Product, address string, low, high products.Price) []template.JS {
	return []template.JS{
		jsonLD(object{
			"@context": "https://schema.org", "@type": "BreadcrumbList",
			"itemListElement": []object{
				{"@type": "ListItem", "position": 1, "name": product.Category.Parent},
				{"@type": "ListItem", "position": 2, "name": product.Category.Name},
			},
		}),
		jsonLD(object{
			"@context": "https://schema.org", "@type": "Product",
			"name": html.EscapeString(product.Name), "sku": strconv.Itoa(product.ID), "url": address,
			"brand": object{"@type": "Brand", "name": html.EscapeString(product.Brand)},
			"offers": object{
				"@type": "AggregateOffer", "lowPrice": low, "highPrice": high,
				"priceCurrency": "PLN", "offerCount": product.Shops,
			},
		}),
		jsonLD(object{"@context": "https://schema.org", "@type": "WebSite", "name": "Makieta porównywarki"}),
	}
}

// jsonLD is safe within a script element: the encoder escapes <, > and &.
func jsonLD(node object) template.JS {
	encoded, err := json.Marshal(node)
	if err != nil {
		return "{}"
	}
	return template.JS(encoded) // #nosec G203 -- see above
}
