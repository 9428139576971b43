package provider

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"backend.example/services/directory/internal/directory"
)

// searchSitesAddr lists the sites of a Search Console user
// (https://developers.google.com/webmaster-tools/v1/sites/list).
const searchSitesURL = "https://searchconsole.googleapis.com/webmasters/v3/sites"

// Account names what was connected: the first Business Profile account, which is
// the user's own, or the first site whose figures the user may read. Without the
// scope for it there is no call and no name.
func (s *Search) Account(ctx context.Context, service directory.Service, token directory.Token) (id, name string, err error) {
	if len(s.Lacks(service, token.Scopes)) > 0 {
		return "", "", nil
	}
	if service == directory.SearchAnalytics {
		return s.firstSite(ctx, token.AccessToken)
	}
	list, err := s.accountPage(ctx, token.AccessToken, "")
	if err != nil || len(list.Accounts) == 0 {
		return "", "", err
	}
	return list.Accounts[0].Name, list.Accounts[0].AccountName, nil
}

type siteList struct {
	SiteEntry []struct {
		SiteURL         string `json:"siteUrl"` // "https://example.pl/" or "sc-domain:example.pl"
		PermissionLevel string `json:"permissionLevel"`
	} `json:"siteEntry"`
}

func (s *Search) firstSite(ctx context.Context, accessToken string) (id, name string, err error) {
	var sites siteList
	if err := s.get(ctx, accessToken, searchSitesURL, nil, &sites); err != nil {
		return "", "", err
	}
	for _, site := range sites.SiteEntry {
		if !unverified(site.PermissionLevel) {
			return site.SiteURL, strings.TrimPrefix(site.SiteURL, "sc-domain:"), nil
		}
	}
	return "", "", nil
}

// unverified reports whether the user may see a site in the list, but not query it.
// The schema spells the level SITE_UNVERIFIED_USER, the answers siteUnverifiedUser.
func unverified(level string) bool {
	return strings.EqualFold(strings.ReplaceAll(level, "_", ""), "siteUnverifiedUser")
}

// get reads address with the user's token into out.
func (s *Search) get(ctx context.Context, accessToken, address string, query url.Values, out any) error {
	r := request{method: http.MethodGet, url: s.at(address), token: accessToken}
	if len(query) > 0 {
		r.url += "?" + query.Encode()
	}
	res, err := sendWithRetries(ctx, s.client, r, func(res response) error { return googleFault(res, s.options.Now()) })
	if err != nil {
		return err
	}
	return res.decode(out)
}
