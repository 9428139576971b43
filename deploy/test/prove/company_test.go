package prove

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"

	"backend.example/deploy/test/harness"
)

// Paths that several tests use.
const (
	discover   = "/api/oauth/provider_search/discover-locations"
	selectPage = "/api/oauth/provider_social/select-page"
	syncPage   = "/api/oauth/provider_social/sync-facebook"
)

// state is the state of a company as the API shows it.
type state struct {
	connected bool   // to a search profile
	page      string // the chosen one
}

// companyClient is a user who changes the connections of a company through the API. It
// records the possible states of the company: one, or two after a change without a response.
type companyClient struct {
	visitor      *harness.Visitor
	account      string // at the provider
	company      int64
	pages        []string
	possible     []state
	acknowledged int // changes

	disconnected      bool // since the last verification
	reconnectedAtOnce bool // the connection was made right after that
	withdrawn         int  // how often the grant of such a connection was revoked
}

// newCompanyClients creates n companies, each with a user, both connections and a page.
func newCompanyClients(t *testing.T, s *harness.Stack, n int) []*companyClient {
	t.Helper()
	accounts := []string{"anna", "marek", "zofia", "tomasz"} // one for each company, since a grant belongs to an account
	var clients []*companyClient
	for i := range n {
		slug := fmt.Sprintf("zaklad-%d", i)
		s.Directories[0].Run(t, "company", "add", slug, "--slug", slug)
		email := slug + "@demo.example"
		addUser(t, s, email, slug)
		clients = append(clients, newCompanyClient(t, s, email, accounts[i]))
	}
	return clients
}

// addUser adds a user to a company.
func addUser(t *testing.T, s *harness.Stack, email, company string) {
	t.Helper()
	s.Directories[0].Run(t, "user", "add", email, "--role", "OFFICE_MANAGER", "--company", company, "--password", harness.DemoPassword)
}

// newCompanyClient logs in a user, makes both connections and chooses a page.
func newCompanyClient(t *testing.T, s *harness.Stack, email, account string) *companyClient {
	t.Helper()
	c := &companyClient{visitor: harness.NewVisitor(t, s.Gateway), account: account, possible: []state{{connected: true}}}
	c.visitor.HTTP.Transport = harness.ChangingAddresses()
	c.visitor.Login(t, email)
	c.company = c.visitor.Company(t)
	c.visitor.Connect(t, harness.SearchProfile, c.account)
	c.visitor.Connect(t, harness.SocialPages, "anna") // the one with several pages
	listed := harness.PostAs[struct{ Pages []struct{ ID string } }](t, c.visitor, "/api/oauth/provider_social/discover-pages", c.body())
	for _, page := range listed.Pages {
		if chosen, _ := c.choose(t.Context(), page.ID); chosen { // one of them has no token
			c.pages = append(c.pages, page.ID)
		}
	}
	if len(c.pages) < 2 {
		t.Fatalf("pages that can be chosen: %v", c.pages)
	}
	c.possible = c.possible[:1]
	return c
}

// body returns a request body with the company.
func (c *companyClient) body() map[string]any { return map[string]any{"company_id": c.company} }

// change makes one random change and records the possible states after it.
func (c *companyClient) change(ctx context.Context, r *rand.Rand) error {
	switch now := c.possible[0]; {
	case r.IntN(2) == 0:
		_, err := c.choose(ctx, c.pages[r.IntN(len(c.pages))])
		return err
	case now.connected:
		a, err := c.visitor.Try(ctx, http.MethodPost, "/api/oauth/disconnect/"+harness.SearchProfile, nil)
		c.disconnected = true
		return c.remember(state{false, now.page}, a, err, a.Status == http.StatusOK)
	default:
		return c.connect(ctx)
	}
}

// choose selects the company's page.
func (c *companyClient) choose(ctx context.Context, page string) (acknowledged bool, err error) {
	a, err := c.visitor.Try(ctx, http.MethodPost, selectPage, map[string]any{"company_id": c.company, "page_id": page})
	acknowledged = a.Status == http.StatusOK
	return acknowledged, c.remember(state{c.possible[0].connected, page}, a, err, acknowledged)
}

// connect makes the connection as a browser does, through the consent page.
func (c *companyClient) connect(ctx context.Context) error {
	a, err := c.visitor.Try(ctx, http.MethodPost, "/api/oauth/connect/"+harness.SearchProfile, nil)
	var begun struct {
		AuthURL string `json:"auth_url"`
	}
	if err != nil || a.Status != http.StatusOK || json.Unmarshal(a.Body, &begun) != nil {
		return nil // nothing visible has changed
	}
	back, err := c.visitor.Consent(ctx, begun.AuthURL, harness.AllowAll(c.account))
	if err != nil {
		return err
	}
	a, err = c.visitor.Try(ctx, http.MethodGet, back, nil)
	location := a.Header.Get("Location")
	if c.disconnected && strings.HasSuffix(location, "oauth_error=token_exchange_failed") {
		return nil // see verify: the code was revoked, too
	}
	c.reconnectedAtOnce = c.disconnected
	acknowledged := strings.HasSuffix(location, "oauth_success="+harness.SearchProfile)
	return c.remember(state{true, c.possible[0].page}, a, err, acknowledged)
}

// remember records the result of a change. Without an acknowledgement both the old and the
// new state are possible.
func (c *companyClient) remember(after state, a harness.Answer, err error, acknowledged bool) error {
	if acknowledged {
		c.possible, c.acknowledged = []state{after}, c.acknowledged+1
		return nil
	}
	c.possible = []state{c.possible[0], after}
	if err != nil {
		return err
	}
	return fmt.Errorf("%d %s %.200s", a.Status, a.Header.Get("Location"), a.Body)
}

// verify checks that the API shows a possible state, and uses both connections.
func (c *companyClient) verify(t *testing.T) {
	t.Helper()
	c.awaitStatus(t)
	connections := c.visitor.Connections(t)
	page := connections[harness.SocialPages].AccountID
	if !connections[harness.SocialPages].Connected || page == nil {
		t.Fatalf("company %d: %+v", c.company, connections)
	}
	shown := state{connections[harness.SearchProfile].Connected, *page}
	if !slices.Contains(c.possible, shown) {
		t.Errorf("company %d: the API shows %+v, possible is %+v", c.company, shown, c.possible)
	}
	c.possible = []state{shown}
	a := c.visitor.Post(t, discover, nil)
	switch {
	case shown.connected && c.reconnectedAtOnce && c.visitor.Connections(t)[harness.SearchProfile].NeedsReconnect:
		// The grant, with a code that is not exchanged yet, is revoked after the response to
		// a disconnection. A person spends more time on the consent page than that takes, but
		// this client does not.
		c.withdrawn++
	case shown.connected != (a.Status == http.StatusOK):
		t.Errorf("company %d: connected is %t, but its locations answer %d %s (%+v)", c.company, shown.connected, a.Status, a.Body, *c)
	}
	c.disconnected = false
	if a := c.visitor.Post(t, syncPage, c.body()); a.Status != http.StatusOK {
		t.Errorf("company %d: its page answers %d %s", c.company, a.Status, a.Body)
	}
}

// awaitStatus waits until the backend has recovered from a kill.
func (c *companyClient) awaitStatus(t *testing.T) {
	t.Helper()
	harness.Eventually(t, "the status of the company is available", func() bool {
		a, err := c.visitor.Try(t.Context(), http.MethodGet, "/api/oauth/status", nil)
		if err == nil && a.Status == http.StatusUnauthorized {
			t.Fatalf("company %d: its session is gone", c.company)
		}
		return err == nil && a.Status == http.StatusOK
	})
}
