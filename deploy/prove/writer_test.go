package prove

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/stack"
)

// The two connections that a writer changes.
const (
	searchPair = "provider_search/search_profile"
	pagesPair  = "provider_social/social_pages"
)

// state is what the API shows of a company.
type state struct {
	connected bool
	page      string
}

// writer belongs to a company of its own and changes its connections through the
// API. It knows in which states the company may be: one, or two after a change
// whose answer did not come.
type writer struct {
	visitor *stack.Visitor
	account string // whose consent it gives
	company int64
	pages   []string
	may     []state
	acked   int

	left    bool // disconnected since the last verification
	hasty   bool // the connection was made at once after that
	revoked int  // times that a hasty connection turned out to be withdrawn
}

// newWriters makes n companies, each with a user, a connection of each pair and a
// page.
func newWriters(t *testing.T, s *stack.Stack, n int) []*writer {
	t.Helper()
	accounts := []string{"anna", "marek", "zofia", "tomasz"} // a grant is one account's: writers share none
	var writers []*writer
	for i := range n {
		slug := fmt.Sprintf("zaklad-%d", i)
		s.Directories[0].Run(t, "company", "add", slug, "--slug", slug)
		email := slug + "@demo.example"
		s.Directories[0].Run(t, "user", "add", email, "--role", "OFFICE_MANAGER", "--company", slug, "--password", stack.DemoPassword)
		writers = append(writers, newWriter(t, s, email, accounts[i]))
	}
	return writers
}

// newWriter logs a user in and gives the company a connection of each pair and a page.
func newWriter(t *testing.T, s *stack.Stack, email, account string) *writer {
	t.Helper()
	w := &writer{visitor: stack.NewVisitor(t, s.Gateway), account: account}
	w.visitor.HTTP.Transport = anywhere()
	w.visitor.Login(t, email)
	me := w.visitor.Get(t, "/api/auth/me")
	w.company = stack.Decode[struct{ Company struct{ ID int64 } }](t, me).Company.ID
	w.visitor.Connect(t, searchPair, w.account)
	w.visitor.Connect(t, pagesPair, "anna") // the one with several pages
	listed := w.visitor.Post(t, "/api/oauth/provider_social/discover-pages", map[string]any{"company_id": w.company})
	w.may = []state{{connected: true}}
	for _, page := range stack.Decode[struct{ Pages []struct{ ID string } }](t, listed).Pages {
		if acknowledged, _ := w.choose(t.Context(), page.ID); acknowledged { // one of them has no token
			w.pages = append(w.pages, page.ID)
		}
	}
	if len(w.pages) < 2 {
		t.Fatalf("pages that can be chosen: %v", w.pages)
	}
	w.may = w.may[:1]
	return w
}

// anywhere makes connections from ever new loopback addresses, so that the limits
// for one client do not stand in the way.
func anywhere() *http.Transport {
	return &http.Transport{
		MaxIdleConnsPerHost: 512,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			from := net.IPv4(127, byte(1+rand.N(250)), byte(rand.N(250)), byte(1+rand.N(250))) // #nosec G404 -- any will do
			return (&net.Dialer{LocalAddr: &net.TCPAddr{IP: from}}).DialContext(ctx, network, address)
		},
	}
}

// write makes one change, chosen by r, and remembers what may be true after it.
func (w *writer) write(ctx context.Context, r *rand.Rand) error {
	switch now := w.may[0]; {
	case r.IntN(2) == 0:
		_, err := w.choose(ctx, w.pages[r.IntN(len(w.pages))])
		return err
	case now.connected:
		a, err := w.visitor.Try(ctx, http.MethodPost, "/api/oauth/disconnect/"+searchPair, nil)
		w.left = true
		return w.settle(state{false, now.page}, a, err, a.Status == http.StatusOK)
	default:
		return w.connect(ctx)
	}
}

// choose makes page the company's page.
func (w *writer) choose(ctx context.Context, page string) (acknowledged bool, err error) {
	a, err := w.visitor.Try(ctx, http.MethodPost, "/api/oauth/provider_social/select-page",
		map[string]any{"company_id": w.company, "page_id": page})
	acknowledged = a.Status == http.StatusOK
	return acknowledged, w.settle(state{w.may[0].connected, page}, a, err, acknowledged)
}

// connect goes the way of a person through the consent page.
func (w *writer) connect(ctx context.Context) error {
	a, err := w.visitor.Try(ctx, http.MethodPost, "/api/oauth/connect/"+searchPair, nil)
	var begun struct {
		AuthURL string `json:"auth_url"`
	}
	if err != nil || a.Status != http.StatusOK || json.Unmarshal(a.Body, &begun) != nil {
		return nil // nothing that a person could see has changed
	}
	back, err := w.consent(ctx, begun.AuthURL)
	if err != nil {
		return err
	}
	w.hasty = w.left
	a, err = w.visitor.Try(ctx, http.MethodGet, back, nil)
	acknowledged := strings.HasSuffix(a.Header.Get("Location"), "oauth_success="+searchPair)
	return w.settle(state{true, w.may[0].page}, a, err, acknowledged)
}

// consent allows everything and returns the path of the callback.
func (w *writer) consent(ctx context.Context, page string) (string, error) {
	form := strings.NewReader(stack.AllowAll(w.account).Encode())
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, page, form)
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := w.visitor.HTTP.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	location, err := url.Parse(response.Header.Get("Location"))
	if err != nil || response.StatusCode != http.StatusFound {
		return "", errors.Join(err, fmt.Errorf("consent: %s", response.Status))
	}
	return location.RequestURI(), nil
}

// settle notes how a change ended. Without an acknowledgement the old state and
// the new one are possible.
func (w *writer) settle(after state, a stack.Answer, err error, acknowledged bool) error {
	if acknowledged {
		w.may, w.acked = []state{after}, w.acked+1
		return nil
	}
	w.may = []state{w.may[0], after}
	if err != nil {
		return err
	}
	return fmt.Errorf("%d %s %.200s", a.Status, a.Header.Get("Location"), a.Body)
}

// verify compares what the API shows with what may be, and uses both connections.
func (w *writer) verify(t *testing.T) {
	t.Helper()
	w.settled(t)
	seen := w.seen(t)
	if !slices.Contains(w.may, seen) {
		t.Errorf("company %d: the API shows %+v, possible is %+v", w.company, seen, w.may)
	}
	w.may = []state{seen}
	a := w.visitor.Post(t, "/api/oauth/provider_search/discover-locations", nil)
	switch {
	case seen.connected && w.hasty && w.wantsReconnecting(t):
		// The grant is withdrawn after a disconnection was answered. A person needs
		// longer for the consent page than that takes; a writer does not.
		w.revoked++
	case seen.connected != (a.Status == http.StatusOK):
		t.Errorf("company %d: connected is %t, but its locations answer %d %s (%+v, %+v)", w.company, seen.connected, a.Status, a.Body, w.status(t)[searchPair], *w)
	}
	w.left = false
	if a := w.visitor.Post(t, "/api/oauth/provider_social/sync-facebook", map[string]any{"company_id": w.company}); a.Status != http.StatusOK {
		t.Errorf("company %d: its page answers %d %s", w.company, a.Status, a.Body)
	}
}

// shown is a connection as the API shows it.
type shown struct {
	Connected      bool
	AccountID      *string `json:"account_id"`
	NeedsReconnect bool    `json:"needs_reconnect"`
}

// settled waits until the backend has got over the kill.
func (w *writer) settled(t *testing.T) {
	t.Helper()
	stack.Eventually(t, "the status of the company is answered", func(ctx context.Context) bool {
		a, err := w.visitor.Try(ctx, http.MethodGet, "/api/oauth/status", nil)
		if err == nil && a.Status == http.StatusUnauthorized {
			t.Errorf("company %d: its session is gone", w.company)
			return true
		}
		return err == nil && a.Status == http.StatusOK
	})
}

func (w *writer) status(t *testing.T) map[string]shown {
	t.Helper()
	return stack.Decode[struct{ Services map[string]shown }](t, w.visitor.Get(t, "/api/oauth/status")).Services
}

func (w *writer) wantsReconnecting(t *testing.T) bool {
	t.Helper()
	return w.status(t)[searchPair].NeedsReconnect
}

func (w *writer) seen(t *testing.T) state {
	t.Helper()
	services := w.status(t)
	if !services[pagesPair].Connected || services[pagesPair].AccountID == nil {
		t.Fatalf("company %d: %+v", w.company, services)
	}
	return state{services[searchPair].Connected, *services[pagesPair].AccountID}
}
