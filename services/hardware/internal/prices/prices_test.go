package prices_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"backend.example/deploy/sandbox/fake"
	"backend.example/services/hardware/internal/apptest"
	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/redistest"
	"backend.example/services/internal/kit/pace"
)

// price is what tests read of a response.
type price struct {
	ProductName, Code, Note string
	Offers                  []struct{ Price float64 }
}

const ryzen = "/api/prices/ceneo?q=Ryzen+7+7800X3D&category=cpu"

// searchPath and productPath are the kinds of requests to the aggregator.
const searchPath, productPath = "search", "product"

// kinds says of each request to the aggregator whether it was a search or a product's page.
func kinds(a *apptest.App) (all []string) {
	for _, path := range a.Asked() {
		if strings.Contains(path, "szukaj-") {
			all = append(all, searchPath)
		} else {
			all = append(all, productPath)
		}
	}
	return all
}

// withRedis are two replicas on one Redis.
func withRedis(t *testing.T, settings ...string) (one, two *apptest.App) {
	t.Helper()
	o := redistest.Start(t)
	one = apptest.New(t, append(settings, "HARDWARE_REDIS_URL=unix://"+o.Socket)...)
	return one, one.Replica()
}

func TestRequestsOfAQuery(t *testing.T) {
	full := []string{searchPath, productPath}
	tests := []struct {
		name  string
		later time.Duration
		query string
		want  []string
	}{
		{"cold", 0, "Ryzen 7 7800X3D BOX", full},
		{"again", 0, "ryzen 7  7800x3d box", nil},
		{"another spelling", 0, "AMD Ryzen 7 7800X3D BOX", []string{searchPath}},
		{"a day later", 25 * time.Hour, "Ryzen 7 7800X3D BOX", []string{productPath}},
		{"a month later", 31 * 24 * time.Hour, "Ryzen 7 7800X3D BOX", full},
	}
	a := apptest.New(t)
	for _, test := range tests {
		a.Clock.Pass(test.later)
		a.Ceneo.ClearRequests()
		var got price
		a.Get("/api/prices/ceneo?category=cpu&q=" + strings.ReplaceAll(test.query, " ", "+")).Want(200).JSON(&got)
		if len(got.Offers) == 0 {
			t.Errorf("%s: no offers of %q, note %q", test.name, got.ProductName, got.Note)
		}
		if diff := cmp.Diff(test.want, kinds(a)); diff != "" {
			t.Errorf("%s: requests (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestWhatIsNotKept(t *testing.T) {
	a := apptest.New(t)
	for _, q := range []string{"...", strings.Repeat("a", 201)} {
		var got price
		a.Get("/api/prices/ceneo?q=" + q).Want(200).JSON(&got)
		if got.ProductName != "" || got.Note == "" || len(a.Asked()) > 0 {
			t.Errorf("%.10q: product %q, note %q, requests %v", q, got.ProductName, got.Note, a.Asked())
		}
	}
	for range 2 {
		a.Ceneo.ClearRequests()
		a.Get("/api/prices/ceneo?q=brakwyniku+9&category=gpu").Want(200)
		if len(a.Asked()) == 0 {
			t.Error("an empty result was kept")
		}
	}
}

func TestOneLookupForManyCallers(t *testing.T) {
	one, two := withRedis(t)
	var all sync.WaitGroup
	for i := range 10 {
		a := []*apptest.App{one, two}[i%2]
		all.Go(func() { a.Get(ryzen).Want(200) })
	}
	all.Wait()
	if diff := cmp.Diff([]string{searchPath, productPath}, kinds(one)); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestReplicasShareRobotsTxt(t *testing.T) {
	one, two := withRedis(t)
	var both sync.WaitGroup
	both.Go(func() { one.Get(ryzen).Want(200) })
	both.Go(func() { two.Get("/api/prices/ceneo?q=RTX+4070&category=gpu").Want(200) })
	both.Wait()
	one.Replica().Get("/api/prices/ceneo?q=RX+7800+XT&category=gpu").Want(200)
	reads := 0
	for _, request := range one.Ceneo.Requests() {
		if request.Path == "/robots.txt" {
			reads++
		}
	}
	if reads != 1 {
		t.Errorf("robots.txt was read %d times, want once", reads)
	}
}

func TestCrawlDelayWidensTheInterval(t *testing.T) {
	const delay = 200 * time.Millisecond
	a := apptest.New(t)
	var arrivals []time.Time // one request at a time
	a.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		arrivals = append(arrivals, time.Now())
		if r.URL.Path != "/robots.txt" {
			return false
		}
		_, _ = io.WriteString(w, "User-agent: *\nCrawl-delay: 0.2\n")
		return true
	})
	a.Get(ryzen).Want(200)
	for i := 1; i < len(arrivals); i++ {
		if gap := arrivals[i].Sub(arrivals[i-1]); gap < delay/2 { // without it: a millisecond
			t.Errorf("request %d came after %v, want about %v", i, gap, delay)
		}
	}
}

func TestPauses(t *testing.T) {
	tests := []struct {
		name   string
		fault  fake.Fault
		asks   int // different queries until the source is paused
		code   string
		paused time.Duration // at least
	}{
		{"a challenge", fake.Fault{Kind: "captcha"}, 1, "source_blocked", 9 * time.Minute},
		{"too many requests", fake.Fault{Kind: "status", Status: 429, RetryAfter: 7200}, 1, "source_blocked",
			119 * time.Minute},
		{"errors of the server", fake.Fault{Kind: "status", Status: 500}, 5, "source_unavailable", 20 * time.Second},
	}
	queries := []string{"Ryzen+5+7600", "RTX+4070", "Core+i5-13600K", "Ryzen+9+7950X", "RTX+4060"}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			one, two := withRedis(t)
			one.Get(ryzen).Want(200) // robots.txt is known
			two.Get("/api/prices/ceneo?q=Ryzen+7+9800X3D").Want(200)
			one.Ceneo.SetFault(test.fault)
			for i := range test.asks {
				var got price
				one.Get("/api/prices/ceneo?q=" + queries[i]).JSON(&got)
				if got.Code != test.code {
					t.Errorf("query %d: code %q, want %q", i+1, got.Code, test.code)
				}
			}
			one.Ceneo.ClearFault()
			one.Ceneo.ClearRequests()
			response := two.Get("/api/prices/ceneo?q=RTX+5090").Want(503)
			var got price
			response.JSON(&got)
			rest, _ := time.ParseDuration(response.Header().Get("Retry-After") + "s")
			if got.Code != "source_paused" || rest < test.paused {
				t.Errorf("the other replica: code %q, Retry-After %v", got.Code, rest)
			}
			if asked := one.Asked(); len(asked) > 0 {
				t.Errorf("requests during the pause: %v", asked)
			}
			if !strings.Contains(one.Log.String(), `"msg":"source paused"`) {
				t.Error("the pause is not in the log")
			}
		})
	}
}

func TestOneQueryPausesNothing(t *testing.T) {
	a := apptest.New(t)
	a.Get(ryzen).Want(200)
	a.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		fails := strings.Contains(r.URL.Path, "4070")
		if fails {
			w.WriteHeader(http.StatusInternalServerError)
		}
		return fails
	})
	for range 6 {
		a.Get("/api/prices/ceneo?q=RTX+4070").Want(502)
	}
	a.Get("/api/prices/ceneo?q=RTX+4060&category=gpu").Want(200)
}

func TestListOverReplicas(t *testing.T) {
	ask := func(t *testing.T, replicas []*apptest.App, texts ...string) []string {
		t.Helper()
		var queries []catalog.Query
		for _, text := range texts {
			q, err := catalog.ParseQuery(text, "")
			if err != nil {
				t.Fatal(err)
			}
			queries = append(queries, q)
		}
		for i := range 200 {
			pending := false
			var names []string
			quotes := replicas[i%len(replicas)].Quotes.Ask(t.Context(), lookup.Caller{Client: "192.0.2.7"}, queries)
			for _, quote := range quotes {
				pending = pending || quote.IsPending()
				name := quote.ProductName()
				if quote.Fault != nil {
					name = quote.Fault.Code
				}
				names = append(names, name)
			}
			if !pending {
				return names
			}
		}
		t.Fatal("the list never ends")
		return nil
	}
	one, two := withRedis(t)
	one.Intercept(func(w http.ResponseWriter, r *http.Request) bool {
		fails := strings.Contains(r.URL.Path, "4070")
		if fails {
			w.WriteHeader(http.StatusNotFound)
		}
		return fails
	})
	names := ask(t, []*apptest.App{one, two}, "Ryzen 7 7800X3D", "RTX 4070", "...")
	if !strings.Contains(names[0], "7800X3D") || names[1] != "source_unavailable" || names[2] != "" {
		t.Errorf("got %q", names)
	}
	one.Ceneo.ClearRequests()
	if again := ask(t, []*apptest.App{two}, "RTX 4070"); again[0] != "source_unavailable" || len(one.Asked()) > 0 {
		t.Errorf("the other replica: %q after requests %v", again, one.Asked())
	}
}

func TestWithoutRedisEachReplicaGoesOnAlone(t *testing.T) {
	server := redistest.Start(t)
	a := apptest.New(t, "HARDWARE_REDIS_URL=unix://"+server.Socket, "HARDWARE_MAX_REPLICAS=2")
	a.Get(ryzen).Want(200)
	server.Kill()
	a.Get(ryzen).Want(200) // from its own copy
	a.Get("/api/prices/ceneo?q=RTX+4070&category=gpu").Want(200)
}

func TestForgetReachesEveryReplica(t *testing.T) {
	one, two := withRedis(t)
	two.Start()
	q := catalog.Query{Text: "Ryzen 7 7800X3D", Category: "cpu"}
	for _, a := range []*apptest.App{one, two} {
		a.Get(ryzen).Want(200)
	}
	deadline := time.Now().Add(10 * time.Second)
	for kept := true; kept; _, kept = two.Prices.Kept(q) { // it subscribes in the background
		if _, err := one.Prices.Forget(t.Context(), q); err != nil || time.Now().After(deadline) {
			t.Fatalf("still kept, error %v", err)
		}
	}
}

func TestRefreshAhead(t *testing.T) {
	a := apptest.New(t)
	a.Get(ryzen).Want(200)
	a.Clock.Pass(11 * time.Minute)
	a.Get(ryzen).Want(200)
	a.Clock.Pass(23 * time.Hour)
	a.Ceneo.ClearRequests()
	a.Start()
	q := catalog.Query{Text: "Ryzen 7 7800X3D", Category: "cpu"}
	for deadline := time.Now().Add(10 * time.Second); ; {
		kept, ok := a.Prices.Kept(q)
		if ok && kept.FetchedAt.Equal(a.Clock.Now()) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the offers were not read ahead")
		}
	}
	if diff := cmp.Diff([]string{productPath}, kinds(a)); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func TestQueueIsFull(t *testing.T) {
	a := apptest.New(t, "HARDWARE_PRICE_INTERVAL=1h", "HARDWARE_PRICE_MAX_WAIT=1s")
	var got price
	a.Get(ryzen).Want(503).JSON(&got)
	if got.Code != "throttle_queue_full" {
		t.Errorf("code %q", got.Code)
	}
	if a.Quotes.Ask(t.Context(), lookup.Caller{Class: pace.Listed},
		[]catalog.Query{{Text: "RTX 4070"}})[0].Fault != nil {
		t.Error("a list does not wait as long as its client comes back")
	}
}

func TestListsAreReadOnceForAll(t *testing.T) {
	one, two := withRedis(t, "HARDWARE_LIST_PAGES=5")
	one.Prices.ReadLists(t.Context())
	two.Prices.ReadLists(t.Context())
	if n := len(one.Asked()); n != 45 {
		t.Errorf("%d requests, want 45 for five pages of nine lists", n)
	}
	for _, category := range catalog.Categories() {
		var got struct {
			Rows []struct{ ProductName, ProductURL string }
		}
		two.Get("/api/prices/ceneo/popular?category=" + category).Want(200).JSON(&got)
		if len(got.Rows) == 0 {
			t.Errorf("no popular %s", category)
		}
	}
}

func TestListsSaveRequests(t *testing.T) {
	a := apptest.New(t, "HARDWARE_LIST_PAGES=5")
	a.Prices.ReadLists(t.Context())
	a.Ceneo.ClearRequests()
	q := catalog.Query{Text: "Samsung 990 PRO 4TB", Category: "storage"}
	if known, ok := a.Prices.Known(q); !ok || known.Value.PriceLow <= 0 {
		t.Errorf("the price of a listed drive is not known for rankings: %+v", known)
	}
	if _, ok := a.Prices.Kept(q); ok {
		t.Error("the price of a list passes for offers")
	}
	a.Get("/api/prices/ceneo?q=Samsung+990+PRO+4TB&category=storage").Want(200)
	if got := kinds(a); !slices.Equal(got, []string{productPath}) {
		t.Errorf("requests %v, want no search for a model that one listed product has", got)
	}
}

func TestPopularFits(t *testing.T) {
	a := apptest.New(t, "HARDWARE_LIST_PAGES=1")
	a.Prices.ReadLists(t.Context())
	var got struct {
		Rows []struct{ ProductName, Fits string }
	}
	a.Get("/api/prices/ceneo/popular?category=motherboard&with=cpu:Ryzen+7+7800X3D").Want(200).JSON(&got)
	for _, row := range got.Rows {
		if strings.Contains(row.ProductName, "B650") && row.Fits != "compatible" {
			t.Errorf("%s is %q for a processor of its socket", row.ProductName, row.Fits)
		}
		if strings.Contains(row.ProductName, "B760") && row.Fits != "incompatible" {
			t.Errorf("%s is %q for a processor of another socket", row.ProductName, row.Fits)
		}
	}
}

// TestRankingsTakePricesFromLists holds each of the first 50 rows of every ranking to having a
// price if it stands in a list: a listed name has all of its words, and no other variant. USB
// sticks have no list. At 1.2 s for each of 45 requests, the lists are known after a minute.
func TestRankingsTakePricesFromLists(t *testing.T) {
	standsFor := func(listed, part string) bool {
		words := func(s string) []string {
			return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune(" ,/()", r) })
		}
		has, wants := words(listed), words(part)
		isMissing := func(word string) bool { return !slices.Contains(has, word) }
		isOther := func(variant string) bool {
			return slices.Contains(has, variant) && !slices.Contains(wants, variant)
		}
		variants := []string{"ti", "super", "xt", "xtx", "oem"}
		return !slices.ContainsFunc(wants, isMissing) && !slices.ContainsFunc(variants, isOther)
	}
	a := apptest.New(t, "HARDWARE_LIST_PAGES=5")
	a.Prices.ReadLists(t.Context())
	if n := len(a.Asked()); n != 45 {
		t.Errorf("%d requests for the lists, want 45", n)
	}
	categories := map[catalog.Family]catalog.Category{
		"cpu": "cpu", "gpu": "gpu", "ssd": "storage", "hdd": "storage", "ram": "ram",
	}
	priced := map[catalog.Family]int{}
	for family, category := range categories {
		ranking, _, err := a.Rankings.Get(t.Context(), family)
		if err != nil {
			t.Fatal(err)
		}
		listed, _ := a.Prices.Popular(category)
		for _, row := range ranking.Value.Rows[:50] {
			name := row.SearchName()
			if _, ok := a.Prices.Known(catalog.Query{Text: name, Category: category}); ok {
				priced[family]++
				continue
			}
			for _, product := range listed {
				if standsFor(product.Name, name) {
					t.Errorf("%s: %q has no price, but %q is listed", family, name, product.Name)
				}
			}
		}
	}
	if priced["cpu"] < 30 || priced["gpu"] < 15 {
		t.Errorf("rows with a price: %v, want most processors and every chip", priced)
	}
}

func TestTheCheapestOffer(t *testing.T) {
	of := func(offers ...prices.Offer) prices.Price {
		return prices.Price{Finding: prices.Finding{Offers: offers}}
	}
	offer := func(price, delivered float64) prices.Offer {
		return prices.Offer{Store: "a.example", Price: price, PriceWithDelivery: delivered}
	}
	ordered := func(price, delivered float64) prices.Offer {
		o := offer(price, delivered)
		o.Stock = prices.OnOrder
		return o
	}
	for name, tt := range map[string]struct {
		price            prices.Price
		cheapest, toDoor int
	}{
		"no offer":                 {prices.Price{}, -1, -1},
		"delivery decides":         {of(offer(2569, 2587.99), offer(2580.90, 2580.90)), 0, 1},
		"one has both":             {of(offer(10, 11), offer(20, 21)), 0, 0},
		"below one złoty":          {of(offer(0.4, 0.9), offer(0.5, 0.8)), 0, 1},
		"equal, the first":         {of(offer(10, 15), offer(11, 15)), 0, 0},
		"delivery is not known":    {of(offer(10, 15), offer(11, 0)), 0, -1},
		"not known of the first":   {of(offer(10, 0), offer(11, 12)), 0, -1},
		"not known of a dear one":  {of(offer(10, 15), offer(15, 0), offer(16, 0)), 0, 0},
		"not known of any":         {of(offer(10, 0), offer(11, 0)), 0, -1},
		"ordered first":            {of(ordered(9, 9), offer(10, 15), offer(11, 12)), 1, 2},
		"all ordered first":        {of(ordered(9, 9), ordered(10, 10)), -1, -1},
		"ordered, without a total": {of(ordered(9, 0), offer(10, 15)), 1, 1},
		"offers are missing": {
			prices.Price{Finding: prices.Finding{Partial: true, Offers: []prices.Offer{offer(10, 11)}}}, -1, -1,
		},
	} {
		if cheapest, toDoor := tt.price.Cheapest(); cheapest != tt.cheapest || toDoor != tt.toDoor {
			t.Errorf("%s: %d, with delivery %d, want %d and %d", name, cheapest, toDoor, tt.cheapest, tt.toDoor)
		}
	}
}
