package googleapi

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Paging is how a list is cut into pages.
type Paging struct {
	List    string // what is listed, with all that the order depends on; a token is good for it alone
	Default int    // pageSize when it is not asked for
	Max     int
}

// Page is a part of a list: the entries from From on, at most Size of them.
type Page struct {
	From, Size int
	list       string
}

// Read reads pageSize and pageToken. A token of another list, or one that was made
// up, is refused.
func (p Paging) Read(query url.Values) (Page, error) {
	page := Page{Size: p.Default, list: p.List}
	if text := query.Get("pageSize"); text != "" {
		var err error
		if page.Size, err = strconv.Atoi(text); err != nil || page.Size < 1 || page.Size > p.Max {
			return Page{}, InvalidField("pageSize", fmt.Sprintf("pageSize must be between 1 and %d", p.Max))
		}
	}
	if token := query.Get("pageToken"); token != "" {
		raw, err := base64.RawURLEncoding.DecodeString(token)
		list, from, found := strings.Cut(string(raw), "\n")
		page.From, _ = strconv.Atoi(from)
		if err != nil || !found || list != p.List || page.From < 1 {
			return Page{}, InvalidField("page_token", "the page token is not valid for this request")
		}
	}
	return page, nil
}

// Cut returns the page of entries, and the token of the next page or nothing.
func Cut[T any](page Page, entries []T) (part []T, next string) {
	from := min(page.From, len(entries))
	to := min(from+page.Size, len(entries))
	if to < len(entries) {
		next = base64.RawURLEncoding.EncodeToString([]byte(page.list + "\n" + strconv.Itoa(to)))
	}
	return entries[from:to], next
}
