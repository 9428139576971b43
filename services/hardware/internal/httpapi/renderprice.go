package httpapi

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"backend.example/services/hardware/internal/prices"
)

// priceDocument is the price response without its query, which differs between
// callers that share one answer.
type priceDocument struct {
	Source       string                `json:"source"`
	ProductName  string                `json:"productName"`
	ProductURL   string                `json:"productUrl"`
	OfferCount   int                   `json:"offerCount"`
	PriceLow     float64               `json:"priceLow,omitempty"`
	PriceHigh    float64               `json:"priceHigh,omitempty"`
	Lowest       *lowestDocument       `json:"lowest,omitempty"`
	Offers       []offerDocument       `json:"offers"`
	Partial      bool                  `json:"partial,omitempty"`
	Alternatives []alternativeDocument `json:"alternatives,omitempty"`
	ScrapedAt    string                `json:"scrapedAt"`
	Note         string                `json:"note,omitempty"`
}

type offerDocument struct {
	Store             string  `json:"store"`
	StoreLabel        string  `json:"storeLabel"`
	Price             float64 `json:"price"`
	PriceWithDelivery float64 `json:"priceWithDelivery,omitempty"`
	Available         *bool   `json:"available,omitempty"`
	ShopRating        float64 `json:"shopRating,omitempty"`
	URL               string  `json:"url,omitempty"`
}

// lowestDocument is the first offer; unlike an offer it always has a url.
type lowestDocument struct {
	Store      string  `json:"store"`
	StoreLabel string  `json:"storeLabel"`
	Price      float64 `json:"price"`
	URL        string  `json:"url"`
}

type alternativeDocument struct {
	ProductName string  `json:"productName"`
	ProductURL  string  `json:"productUrl"`
	PriceLow    float64 `json:"priceLow,omitempty"`
	OfferCount  int     `json:"offerCount,omitempty"`
}

// timestamp writes a moment as answers do: ISO 8601 in UTC with milliseconds.
func timestamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// renderPrice encodes what follows the query in a price response: everything from the
// comma behind it to the closing brace.
func renderPrice(p prices.Price) (*rendered, error) {
	d := newPriceDocument(p)
	var document bytes.Buffer
	if err := encode(&document, &d); err != nil {
		return nil, fmt.Errorf("encode price: %w", err)
	}
	payload := bytes.Clone(document.Bytes())
	payload[0] = ','
	return &rendered{payload: payload, digest: digest(payload)}, nil
}

func newPriceDocument(p prices.Price) priceDocument {
	d := priceDocument{
		Source: p.Source, ProductName: p.ProductName, ProductURL: p.ProductURL, OfferCount: p.OfferCount,
		PriceLow: p.PriceLow, PriceHigh: p.PriceHigh, Offers: make([]offerDocument, len(p.Offers)),
		Partial: p.Partial, ScrapedAt: timestamp(p.ScrapedAt), Note: p.Note,
	}
	for i, o := range p.Offers {
		d.Offers[i] = newOfferDocument(o)
	}
	for _, a := range p.Alternatives {
		d.Alternatives = append(d.Alternatives, alternativeDocument(a))
	}
	if len(p.Offers) > 0 {
		o := p.Lowest()
		d.Lowest = &lowestDocument{Store: o.Store, StoreLabel: o.StoreLabel, Price: o.Price, URL: o.URL}
	}
	return d
}

func newOfferDocument(o prices.Offer) offerDocument {
	d := offerDocument{
		Store: o.Store, StoreLabel: o.StoreLabel, Price: o.Price,
		PriceWithDelivery: o.PriceWithDelivery, ShopRating: o.ShopRating, URL: o.URL,
	}
	if o.Stock != prices.StockUnknown {
		available := o.Stock == prices.InStock
		d.Available = &available
	}
	return d
}

// quoteJSON escapes what may stand in a checked query and not in a JSON string.
var quoteJSON = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// priceBody returns the two consecutive parts of the price response to text, which
// catalog.ParseQuery has accepted; head is appended to buf.
func (r *rendered) priceBody(buf []byte, text string) (head, tail []byte) {
	buf = append(buf, `{"query":"`...)
	if strings.ContainsAny(text, `\"`) {
		text = quoteJSON.Replace(text)
	}
	return append(append(buf, text...), '"'), r.payload
}

// PriceJSON is the whole response to text.
func PriceJSON(a *prices.Answer, text string) ([]byte, error) {
	r, err := formOf(a, renderPrice)
	if err != nil {
		return nil, err
	}
	head, tail := r.priceBody(nil, text)
	return slices.Concat(head, tail), nil
}
