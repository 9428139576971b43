package ceneo

import (
	"bytes"
	"cmp"
	"errors"
	"math"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"backend.example/services/hardware/internal/prices"
)

// isPrice reports whether v is zero or a price in whole groszy.
func isPrice(v float64) bool { return v >= 0 && v <= maxPrice && math.Round(v*100)/100 == v }

// FuzzProductPage: the figures of any page agree, and its offers are sorted and complete.
func FuzzProductPage(f *testing.F) {
	for _, name := range []string{"product", "product_unsold", "list", "captcha"} {
		f.Add([]byte(fixture(f, name+".html")))
	}
	for _, json := range []string{
		`{"name":"RTX &amp; ` +
			`co","offers":{"@type":"AggregateOffer","offerCount":"26","lowPrice":"2649","highPrice":5039.7}}`,
		`[{"offers":[{"price":1},{"price":"2,50 zł"},{"offerCount":3}]}]`,
		`{"@graph":[{"@graph":{"offers":{"price":1e300}}}]}`,
		`{"offers":{"offerCount":"99999999999999999999","lowPrice":-1}}`, `{"offers":{"lowPrice":9,"highPrice":3}}`,
		`null`, `{"offers":[]}`,
		`{"offers":[{"offerCount":999999},{"offerCount":999999}]}`,
	} {
		f.Add([]byte(heading + list(`data-price="10" data-shopurl="a.pl"`, "") + ld(json)))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		p, err := parseProduct(bytes.NewReader(page), productURL)
		if err != nil {
			if !errors.Is(err, errLayout) || !reflect.DeepEqual(p, product{}) {
				t.Fatalf("%+v, %v", p, err)
			}
			return
		}
		s := p.summary
		switch {
		case s.count < 0, s.count > maxCount, !isPrice(s.low), !isPrice(s.high), s.high > 0 && s.low > s.high:
			t.Errorf("summary %+v", s)
		}
		sorted := slices.IsSortedFunc(p.offers, func(a, b prices.Offer) int { return cmp.Compare(a.Price, b.Price) })
		if len(p.offers) > prices.MaxOffers || !sorted {
			t.Errorf("offers %+v", p.offers)
		}
		for _, o := range p.offers {
			isDelivered := o.PriceWithDelivery == 0 || o.PriceWithDelivery >= o.Price
			isRated := o.ShopRating >= 0 && o.ShopRating <= prices.MaxShopRating
			switch {
			case o.Store == "", o.StoreLabel == "", !isPrice(o.Price), o.Price == 0, !isPrice(o.PriceWithDelivery),
				!isDelivered, !isRated, o.URL != "" && !isWebAddress(o.URL):
				t.Errorf("offer %+v", o)
			}
		}
	})
}

func isWebAddress(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && utf8.ValidString(address) &&
		!strings.ContainsAny(address, "\r\n\t\x00<>\"")
}
