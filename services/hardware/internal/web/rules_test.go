package web

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/fetch"
	"backend.example/services/hardware/internal/fits"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/purchase"
	"backend.example/services/hardware/internal/rankings"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/testkit"
)

func parse(t *testing.T, query string) basket {
	t.Helper()
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	return parseBasket(values)
}

func TestBasketIsItsAddress(t *testing.T) {
	for query, want := range map[string]string{
		"":                                   "/x",
		"gpu=RTX+5090&cpu=Ryzen+7":           "/x?cpu=Ryzen+7&gpu=RTX+5090",
		"gpu=RTX+5090&gpu=RTX+5080":          "/x?gpu=RTX+5080", // a build has one
		"ram=Kit+A&ram=kit++a&ram=Kit+B":     "/x?ram=kit+a&ram=Kit+B",
		"storage=SSD+A&storage=SSD+B":        "/x?storage=SSD+A&storage=SSD+B",
		"usb=Stick+A&usb=Stick+B":            "/x?usb=Stick+A&usb=Stick+B",
		"gpu=ab&cpu=%00%00%00&case=---":      "/x", // no names of parts
		"tytul=+Do++gier+&gpu=RTX+5090":      "/x?gpu=RTX+5090&tytul=Do+gier",
		"limit=5000,5&gpu=RTX+5090":          "/x?gpu=RTX+5090&limit=5000.5",
		"limit=dużo&gpu=RTX+5090":            "/x?gpu=RTX+5090", // no number
		"szukaj=abc&toaster=abc&gpu=ab%26cd": "/x?gpu=ab%26cd",
		"psu=" + strings.Repeat("a", 201):    "/x",
	} {
		testkit.Equal(t, query+": address", address("/x", parse(t, query)), want)
		_, parameters, _ := strings.Cut(want, "?")
		if got := address("/x", parse(t, parameters)); got != want {
			t.Errorf("the address %s, read again, becomes %s", want, got)
		}
	}
}

func TestBasketChangesLeaveTheOldOne(t *testing.T) {
	b := parse(t, "cpu=Ryzen+7&gpu=RTX+5090&ram=Kit+A")
	for name, tt := range map[string]struct{ got, want string }{
		"replaced": {
			address("/", b.with(kindOf("gpu"), catalog.Query{Text: "RX 9070"})), "/?cpu=Ryzen+7&gpu=RX+9070&ram=Kit+A",
		},
		"added": {
			address("/", b.with(kindOf("ram"), catalog.Query{Text: "Kit B"})),
			"/?cpu=Ryzen+7&gpu=RTX+5090&ram=Kit+A&ram=Kit+B",
		},
		"removed":  {address("/", b.without(0), "b", "1"), "/?b=1&gpu=RTX+5090&ram=Kit+A"},
		"the same": {address("/", b), "/?cpu=Ryzen+7&gpu=RTX+5090&ram=Kit+A"},
	} {
		testkit.Equal(t, name+": address", tt.got, tt.want)
	}
}

func TestTitlesArePrintableAndShort(t *testing.T) {
	for title, want := range map[string]string{
		"": "", " Do\tgier \n": "Do gier", "\u202eźle\x00\u200b": "źle", "a\xffb": "ab",
		strings.Repeat("ż ", 100): strings.Repeat("ż ", 29) + "ż", "<b>": "<b>",
	} {
		testkit.Equal(t, title+": title", parseTitle(title), want)
	}
}

func TestABrandIsOneInEverySpelling(t *testing.T) {
	var parts []listedPart
	for _, name := range []string{"be quiet! Pure Power 12", "Zasilacz Be Quiet System Power 10", "be quiet SFX L",
		"ASUS Prime", "Asus ROG Strix", "Cooler Master V850", "COOLER MASTER MWE"} {
		parts = append(parts, listedPart{Name: name, traits: traitsOf(fits.Part{Category: "psu"}, name)})
	}
	brand := facetsOf(kind{Key: "psu"}, parts, url.Values{"marka": {"be quiet!"}})[0]
	testkit.Equal(t, "brands", brand.Options, []string{"ASUS", "be quiet!", "Cooler Master"})
	for _, part := range parts {
		want := strings.Contains(strings.ToLower(part.Name), "be quiet")
		testkit.Equal(t, part.Name+": of be quiet!", brand.accepts(part.traits["marka"]), want)
	}
}

func TestCompareMarksTheCheapest(t *testing.T) {
	const ordered = prices.OnOrder
	type offer = prices.Offer
	for name, tt := range map[string]struct {
		first, second []offer
		want          string
	}{
		"without and with delivery": {
			[]offer{{Price: 1000, PriceWithDelivery: 1030}}, []offer{{Price: 1010, PriceWithDelivery: 1010}},
			"1 cheapest, 1 best buy, 2 delivered",
		},
		"a delivery that is not known": {
			[]offer{{Price: 1000}}, []offer{{Price: 1010, PriceWithDelivery: 1010}}, "1 cheapest, 1 best buy",
		},
		"a delivery of the dearer one that is not known": {
			[]offer{{Price: 1000, PriceWithDelivery: 1010}}, []offer{{Price: 1010}},
			"1 cheapest, 1 best buy, 1 delivered",
		},
		"on order": {
			[]offer{{Price: 1000, PriceWithDelivery: 1000, Stock: ordered}},
			[]offer{{Price: 1010, PriceWithDelivery: 1020}}, "2 cheapest, 2 best buy, 2 delivered",
		},
		"below one złoty": {
			[]offer{{Price: 0.5, PriceWithDelivery: 0.9}}, []offer{{Price: 0.4, PriceWithDelivery: 0.8}},
			"1 best buy, 2 cheapest, 2 delivered",
		},
		"cheaper on order than in stock": {
			[]offer{{Price: 1000, Stock: ordered}, {Price: 1005, PriceWithDelivery: 1006}},
			[]offer{{Price: 1010, PriceWithDelivery: 1020}}, "1 delivered",
		},
		"a price that is not known": {[]offer{{Price: 1000, PriceWithDelivery: 1000}}, nil, ""},
	} {
		if got := marks(prices.Finding{Offers: tt.first}, prices.Finding{Offers: tt.second}); got != tt.want {
			t.Errorf("%s: marks %q, want %q", name, got, tt.want)
		}
	}
	hidden := prices.Finding{Offers: []offer{{Price: 1000}}, Partial: true}
	if got := marks(hidden, prices.Finding{Offers: []offer{{Price: 900}}}); got != "" {
		t.Errorf("a lower price may be hidden: marks %q, want none", got)
	}
}

// marks compares two parts, of which the first has more points.
func marks(first, second prices.Finding) string {
	parts := make([]comparedPart, 2)
	for i, f := range []prices.Finding{first, second} {
		parts[i].Benchmark = []float64{424, 2.5}[i]
		parts[i].setOffers(prices.Price{Finding: f})
	}
	v := compareView{Parts: parts}
	v.mark()
	var all []string
	for i, part := range v.Parts {
		for _, mark := range []struct {
			name string
			is   bool
		}{{"cheapest", part.Cheapest}, {"best buy", part.BestBuy}, {"delivered", part.CheapestDelivered}} {
			if mark.is {
				all = append(all, string(rune('1'+i))+" "+mark.name)
			}
		}
	}
	return strings.Join(all, ", ")
}

func TestBestOfARanking(t *testing.T) {
	known := func(points, price float64) model {
		return model{Row: rankings.Row{Benchmark: points}, Price: price}
	}
	ordered := known(300, 1000)
	ordered.OnOrder = true
	stocked, tooDear := ordered, ordered
	stocked.Available, tooDear.Available = 1500, 1501
	for name, tt := range map[string]struct {
		models      []model
		best        int // index, -1 for none
		isUndecided bool
	}{
		"all prices are known": {[]model{known(200, 1000), known(100, 500)}, 0, false},
		"two have the most":    {[]model{known(100, 1), known(200, 2), known(200, 3)}, 1, false},
		"ordered first":        {[]model{ordered, known(200, 1000)}, 1, false},
		"dearer in stock":      {[]model{stocked, known(200, 1000)}, 0, false},
		"too dear in stock":    {[]model{tooDear, known(200, 1000)}, 1, false},
		"a better one may fit": {[]model{known(200, 1000), known(300, 0)}, 0, true},
		"an equal one may fit": {[]model{known(200, 1000), known(200, 0)}, 0, true},
		"a worse one may fit":  {[]model{known(200, 1000), known(100, 0)}, 0, false},
		"no price is known":    {[]model{known(200, 0)}, -1, false},
	} {
		best, isUndecided := filters{Budget: 1500}.best(tt.models)
		testkit.Equal(t, name+": the best", best, tt.best)
		testkit.Equal(t, name+": undecided", isUndecided, tt.isUndecided)
	}
}

func TestWaysToBuyABuild(t *testing.T) {
	offer := func(store string, price, delivered float64) prices.Offer {
		return prices.Offer{Store: store, StoreLabel: store, Price: price, PriceWithDelivery: delivered}
	}
	card := []prices.Offer{offer("Tani", 1000, 1010), offer("Duży", 1100, 1120), offer("Mały", 1200, 1200)}
	supply := []prices.Offer{offer("Duży", 300, 315), offer("Tani", 400, 0)}
	anywhere := []prices.Offer{offer("A", 100, 100), offer("B", 100, 100), offer("C", 100, 100), offer("D", 100, 100)}
	const hidden = "cheaper offers may be hidden"
	for name, tt := range map[string]struct {
		products [][]prices.Offer
		want     []way
	}{
		"a price is not known": {[][]prices.Offer{card, supply, nil}, []way{
			{"Znane części najtaniej, 2\u00a0sklepy", 2, 1300, 1325, false}, {"Tylko Duży", 2, 1400, 1420, false},
			{"Tylko Tani", 2, 1400, 1410, true},
		}},
		"no delivery is known": {[][]prices.Offer{{offer("Tani", 1000, 0)}, {offer("Duży", 300, 0)}}, []way{
			{"Każda część najtaniej, 2\u00a0sklepy", 2, 1300, 0, false},
		}},
		"all that a shop has is free of delivery": {[][]prices.Offer{anywhere, anywhere}, []way{
			{"Każda część najtaniej, 1\u00a0sklep", 2, 200, 200, false}, {"Tylko A", 2, 200, 200, false},
			{"Tylko B", 2, 200, 200, false}, {"Tylko C", 2, 200, 200, false},
		}},
		"a parcel less": {[][]prices.Offer{{offer("A", 100, 115), offer("B", 105, 120)}, {offer("B", 200, 215)}}, []way{
			{"Każda część najtaniej, 2\u00a0sklepy", 2, 300, 330, false},
			{"Najtaniej z dostawą, 1\u00a0sklep", 2, 305, 320, false}, {"Tylko B", 2, 305, 320, false},
		}},
		"a delivery that is not known": {[][]prices.Offer{
			{offer("A", 100, 0), offer("B", 110, 125)}, {offer("B", 200, 215)},
		}, []way{
			{"Każda część najtaniej, 2\u00a0sklepy", 2, 300, 315, true},
			{"Tanio z dostawą, o ile ją znamy, 1\u00a0sklep", 2, 310, 325, false}, {"Tylko B", 2, 310, 325, false},
		}},
		"one part": {[][]prices.Offer{card}, nil},
		hidden: {[][]prices.Offer{anywhere[:1], {offer("B", 200, 215)}}, []way{
			{"Znane oferty najtaniej, 2\u00a0sklepy", 2, 300, 315, false},
		}},
	} {
		var quotes []prices.Quote
		for _, offers := range tt.products {
			price := prices.Price{Finding: prices.Finding{Offers: offers, Partial: name == hidden}}
			quotes = append(quotes, prices.Quote{Answer: &prices.Answer{Value: price}})
		}
		ways := purchase.Compare(quotes)
		v := buildView{Items: make([]buildItem, len(quotes)), Known: ways.Split.Count}
		v.compare(ways)
		testkit.Equal(t, name, v.Ways, tt.want)
	}
}

func TestBuildIsRetriedAfterTheShortestWaitOfAPart(t *testing.T) {
	var v buildView
	for _, minutes := range []time.Duration{7, 5, 9} {
		err := fetch.Paused.Fault().After(minutes * time.Minute)
		unreachable := prices.Quote{Fault: fetch.Unreachable.Fault()}
		v.Items = append(v.Items, buildItem{}, buildItem{Quote: unreachable})
		v.Items = append(v.Items, buildItem{Quote: prices.Quote{Fault: fault.From(err)}})
	}
	if got := v.Retry(); got != 5*time.Minute {
		t.Errorf("the page is retried after %v, want 5 min, the shortest wait of a part", got)
	}
}

func TestBudgetsAreRead(t *testing.T) {
	for text, want := range map[string]float64{
		"": 0, "0,01": 0.01, "1500": 1500, " 1 500,50 zł ": 1500.5, "999999999": 999999999, "1e9": 0, "1.000.000": 0,
		"-5": 0, "Inf": 0,
	} {
		testkit.Equal(t, "budget "+text, parseBudget(text), want)
	}
}

func TestMemoryIsReadFromNames(t *testing.T) {
	for name, want := range map[string]string{
		"RTX 3060 12GB": "12\u00a0GB", "Vengeance DDR5 6000 C30 2x16GB": "32\u00a0GB",
		"Black SN8100 M.2 4TB": "4\u00a0TB", "Gold 1.5 TB (256MB Cache 2017)": "1,5\u00a0TB",
		"RTX 3060": "0\u00a0GB", "Gold (256MB Cache)": "0\u00a0GB", "GV-N105TOC-4GD": "0\u00a0GB",
	} {
		testkit.Equal(t, "memory of "+name, memory(memoryIn(name)).Text(), want)
	}
}

func TestFiguresHaveThreeSignificantDigits(t *testing.T) {
	for v, want := range map[float64]string{
		0.0402: "0,0402", 0.00012345: "0,000123", 1: "1,00", 12.345: "12,3", 1234: "1234", 0.1: "0,100",
	} {
		if got := precise(v); got != want {
			t.Errorf("%v is written %s, want %s", v, got, want)
		}
	}
}

func TestKindsCoverTheDomain(t *testing.T) {
	var categories, families []string
	for _, k := range kinds() {
		if got, err := parseKind(k.Key); err != nil || got.Name != k.Name {
			t.Errorf("kind %s is read as %q, want %q (error %v)", k.Key, got.Name, k.Name, err)
		}
		if k.Category != "" {
			categories = append(categories, string(k.Category))
		}
		for _, f := range k.Families {
			families = append(families, string(f))
			testkit.Equal(t, "kind of family "+string(f), kindOf(f).Key, k.Key)
			if familyName(f) == "" {
				t.Errorf("family %s has no name", f)
			}
		}
	}
	got := map[string][]string{"categories": categories, "families": families}
	want := map[string][]string{"categories": catalog.Categories(), "families": catalog.Families()}
	if diff := cmp.Diff(want, got, cmpopts.SortSlices(strings.Compare)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
