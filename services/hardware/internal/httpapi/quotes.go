package httpapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fits"
	"backend.example/services/hardware/internal/match"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/purchase"
	"backend.example/services/internal/kit/fault"
)

// BodyLimit is in bytes, and enough for the longest documented body with every character escaped.
const BodyLimit = 64 << 10

// quotesRequest is the body of POST /api/prices/{aggregator}/quotes.
type quotesRequest struct {
	Items []struct {
		Text     string `json:"q"`
		Category string `json:"category"`
	} `json:"items"`
}

type quotesDocument struct {
	Items []quoteDocument `json:"items"`
}

// comparedDocument is the response of the API with what the list costs, for the command line.
type comparedDocument struct {
	quotesDocument
	Split purchaseDocument   `json:"split"`
	Shops []purchaseDocument `json:"shops"`
}

type purchaseDocument struct {
	Store      string  `json:"store,omitempty"`
	StoreLabel string  `json:"storeLabel,omitempty"`
	Stores     int     `json:"stores"`
	Count      int     `json:"count"`
	Sum        float64 `json:"sum"`
}

type quoteDocument struct {
	Query      string              `json:"query"`
	Category   catalog.Category    `json:"category,omitempty"`
	Status     string              `json:"status"`
	Price      *priceDocument      `json:"price,omitempty"`
	Place      int                 `json:"place,omitempty"`
	Seconds    *int                `json:"seconds,omitempty"`
	Found      *prices.Alternative `json:"found,omitempty"`
	Fits       fits.Verdict        `json:"fits,omitempty"`
	Error      string              `json:"error,omitempty"`
	Code       string              `json:"code,omitempty"`
	RetryAfter int                 `json:"retryAfter,omitempty"`
}

// postQuotes answers POST /api/prices/{aggregator}/quotes.
func (a *API) postQuotes(c echo.Context) error {
	if err := a.checkAggregator(c); err != nil {
		return err
	}
	queries, err := readQueries(c.Request())
	if err != nil {
		return err
	}
	quotes := a.quotes.Ask(c.Request().Context(), a.caller(c.Request()), queries)
	body, err := encodeJSON(quotesOf(queries, quotes))
	if err != nil {
		return fmt.Errorf("encode quotes: %w", err)
	}
	c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
	return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, body)
}

// ComparisonJSON returns the response to queries with what the list costs.
func ComparisonJSON(queries []catalog.Query, quotes []prices.Quote, c purchase.Comparison) ([]byte, error) {
	compared := comparedDocument{quotesOf(queries, quotes), purchaseOf(c.Split), make([]purchaseDocument, len(c.Shops))}
	for i, shop := range c.Shops {
		compared.Shops[i] = purchaseOf(shop)
	}
	return encodeJSON(compared)
}

func purchaseOf(p purchase.Way) purchaseDocument {
	return purchaseDocument{p.Store, p.StoreLabel, p.Stores(), p.Count, p.Sum}
}

// readQueries names the position of an item in its fault.
func readQueries(r *http.Request) ([]catalog.Query, error) {
	items, err := readItems(r)
	if err != nil {
		return nil, err
	}
	queries := make([]catalog.Query, len(items.Items))
	for i, item := range items.Items {
		if queries[i], err = parseItem(item.Text, item.Category); err != nil {
			f := *fault.From(err)
			f.Message = fmt.Sprintf("Pozycja %d: %s", i+1, f.Message)
			return nil, &f
		}
	}
	return queries, nil
}

func readItems(r *http.Request) (quotesRequest, error) {
	var request quotesRequest
	kind, _, _ := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	body := json.NewDecoder(r.Body)
	body.DisallowUnknownFields()
	err := body.Decode(&request)
	_, more := body.Token()
	if large := (*http.MaxBytesError)(nil); errors.As(err, &large) || errors.As(more, &large) {
		return request, large
	}
	if err != nil || !errors.Is(more, io.EOF) || kind != echo.MIMEApplicationJSON {
		return request, fault.Wrap(err, fault.Invalid, "invalid_body",
			"Treść żądania musi być obiektem JSON z listą items, której pozycje mają pola q i category.")
	}
	if n := len(request.Items); n == 0 || n > prices.MaxQuotes {
		message := fmt.Sprintf("Lista items musi mieć od 1 do %d pozycji.", prices.MaxQuotes)
		return request, fault.New(fault.Invalid, "invalid_items", message)
	}
	return request, nil
}

func quotesOf(queries []catalog.Query, quotes []prices.Quote) quotesDocument {
	document := quotesDocument{Items: make([]quoteDocument, len(quotes))}
	verdicts := fits.Verdicts(partsOf(queries, quotes))
	for i, quote := range quotes {
		d := quoteDocument{Query: queries[i].Text, Category: queries[i].Category, Fits: verdicts[i]}
		switch {
		case quote.Answer != nil:
			d.Status = "ready"
			price := newPriceDocument(quote.Answer.Value, d.Query)
			d.Price = &price
		case quote.Fault != nil:
			d.Status = "failed"
			d.Error = quote.Fault.Message
			d.Code = quote.Fault.Code
			d.RetryAfter = wholeSeconds(quote.Fault.RetryAfter)
		default:
			d.Status = "queued"
			d.setProgress(quote)
		}
		document.Items[i] = d
	}
	return document
}

// partsOf infers a missing category from the text.
func partsOf(queries []catalog.Query, quotes []prices.Quote) []fits.Part {
	parts := make([]fits.Part, len(queries))
	for i, q := range queries {
		parts[i] = fits.Read(categoryOf(q), q.Text, quotes[i].ProductName())
	}
	return parts
}

func categoryOf(q catalog.Query) catalog.Category { return cmp.Or(q.Category, match.Category(q)) }

func (d *quoteDocument) setProgress(quote prices.Quote) {
	if quote.Place.Number > 0 {
		wait := wholeSeconds(quote.Place.Wait)
		d.Place, d.Seconds = quote.Place.Number, &wait
	}
	if found := quote.Found; found != nil {
		d.Found = &prices.Alternative{
			ProductName: found.ProductName, ProductURL: found.ProductURL, PriceLow: found.PriceLow,
			OfferCount: found.OfferCount,
		}
	}
}

// wholeSeconds rounds up, so that no client comes too early.
func wholeSeconds(d time.Duration) int { return int(math.Ceil(max(d, 0).Seconds())) }
