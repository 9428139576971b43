package hardware

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"backend.example/services/hardware/internal/catalog"
)

// Answer is an encoded answer, made once when its data arrive and from then on
// only cut and copied, together with what HTTP and the caches need to know.
//
// An Answer is immutable once it is published.
type Answer struct {
	Payload   []byte    // see RankingEncoder and EncodePrice
	Ends      []int     // of a ranking: Payload[:Ends[n-1]] holds its first n rows
	Source    string    // of a ranking: the source's domain, or LocalFallback
	Digest    string    // identifies Payload; the ground of a strong ETag
	FetchedAt time.Time // when the source gave the data
	ExpiresAt time.Time // when the source is to be asked again; zero for an answer that is not kept at all
	Shareable bool      // a success: other replicas and HTTP caches may keep it until ExpiresAt

	packed *packed // Payload compressed; nil until Packed
}

// Fresh reports whether the answer may still be given out at now.
func (a *Answer) Fresh(now time.Time) bool { return now.Before(a.ExpiresAt) }

// Size is about what the answer takes in memory, in bytes.
func (a *Answer) Size() int {
	return cap(a.Payload) + 8*cap(a.Ends) + len(a.Source) + len(a.Digest) + a.packed.size() + 128
}

// Rows is how many of the wanted rows the ranking has.
func (a *Answer) Rows(limit int) int { return min(limit, len(a.Ends)) }

var rankingTail = []byte("]}")

// RankingBody returns the three consecutive parts of the ranking response with
// at most limit rows; head is appended to buf.
func (a *Answer) RankingBody(buf []byte, family catalog.Family, limit int) (head, rows, tail []byte) {
	n := a.Rows(limit)
	buf = append(buf, `{"source":"`...)
	buf = append(buf, a.Source...)
	buf = append(buf, `","family":"`...)
	buf = append(buf, family...)
	buf = append(buf, `","count":`...)
	buf = strconv.AppendInt(buf, int64(n), 10)
	buf = append(buf, `,"rows":[`...)
	if n > 0 {
		end := a.Ends[n-1]
		rows = a.Payload[:end:end]
	}
	return buf, rows, rankingTail
}

// price is the price response without its query, which differs between callers
// that share one answer.
type price struct {
	Source      string   `json:"source"`
	ProductName string   `json:"productName"`
	ProductURL  string   `json:"productUrl"`
	OfferCount  int      `json:"offerCount"`
	PriceLow    float64  `json:"priceLow,omitempty"`
	PriceHigh   float64  `json:"priceHigh,omitempty"`
	Lowest      *lowest  `json:"lowest,omitempty"`
	Offers      []Offer  `json:"offers"`
	ScrapedAt   scrapeTS `json:"scrapedAt"`
	Note        string   `json:"note,omitempty"`
}

// lowest is the first offer; unlike an offer it always has a url.
type lowest struct {
	Store      string  `json:"store"`
	StoreLabel string  `json:"storeLabel"`
	Price      float64 `json:"price"`
	URL        string  `json:"url"`
}

// scrapeTS is written as ISO 8601 in UTC with milliseconds.
type scrapeTS time.Time

func (t scrapeTS) MarshalText() ([]byte, error) {
	return []byte(time.Time(t).UTC().Format("2006-01-02T15:04:05.000Z")), nil
}

// noMatchNote explains an empty price answer.
const noMatchNote = "Nie znaleziono produktu pasującego do zapytania. Spróbuj podać dokładniejszą nazwę, na przykład markę i model."

// EncodePrice encodes what follows the query in a price response: everything
// from the comma behind it to the closing brace.
func EncodePrice(source string, f Finding, scrapedAt time.Time) (*Answer, error) {
	p := price{
		Source: source, ProductName: f.ProductName, ProductURL: f.ProductURL, OfferCount: f.OfferCount,
		PriceLow: f.PriceLow, PriceHigh: f.PriceHigh, Offers: f.Offers, ScrapedAt: scrapeTS(scrapedAt),
	}
	if p.Offers == nil {
		p.Offers = []Offer{}
	}
	if len(p.Offers) > 0 {
		first := p.Offers[0]
		p.Lowest = &lowest{Store: first.Store, StoreLabel: first.StoreLabel, Price: first.Price, URL: first.URL}
		if first.URL == "" {
			p.Lowest.URL = f.ProductURL
		}
	}
	if f.ProductName == "" {
		p.Note = noMatchNote
	}
	body, err := encode(&p)
	if err != nil {
		return nil, fmt.Errorf("encode price answer: %w", err)
	}
	body[0] = ','
	return &Answer{Payload: slices.Clip(body), Digest: digest(body)}, nil
}

// quoteJSON escapes what may stand in a checked query and not in a JSON string.
var quoteJSON = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// PriceBody returns the two consecutive parts of the price response to text,
// which ParseQuery has accepted; head is appended to buf.
func (a *Answer) PriceBody(buf []byte, text string) (head, tail []byte) {
	buf = append(buf, `{"query":"`...)
	if strings.ContainsAny(text, `\"`) {
		text = quoteJSON.Replace(text)
	}
	buf = append(buf, text...)
	return append(buf, '"'), a.Payload
}

func digest(parts ...[]byte) string {
	h := sha256.New()
	for _, part := range parts {
		h.Write(part)
		h.Write([]byte{0})
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:12])
}
