package googleapi_test

import (
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"testing"

	"backend.example/deploy/sandbox/internal/googleapi"
)

func TestPagesCoverTheListOnce(t *testing.T) {
	entries := []int{1, 2, 3, 4, 5}
	paging := googleapi.Paging{List: "numbers", Default: 2, Max: 3}
	for size, pages := range map[string]int{"": 3, "1": 5, "3": 2} {
		var all []int
		token, asked := "", 0
		for asked == 0 || token != "" {
			page, err := paging.Read(url.Values{"pageSize": {size}, "pageToken": {token}})
			if err != nil {
				t.Fatal(err)
			}
			var part []int
			part, token = googleapi.Cut(page, entries)
			all, asked = append(all, part...), asked+1
		}
		if !slices.Equal(all, entries) || asked != pages {
			t.Errorf("size %q: %v in %d pages", size, all, asked)
		}
	}
}

func TestPagesAreRefused(t *testing.T) {
	page, _ := googleapi.Paging{List: "others", Default: 1, Max: 1}.Read(url.Values{})
	_, foreign := googleapi.Cut(page, []int{1, 2})
	cases := map[string]url.Values{
		"a size of zero": {"pageSize": {"0"}}, "too large": {"pageSize": {"4"}}, "no number": {"pageSize": {"two"}},
		"of another list": {"pageToken": {foreign}}, "made up": {"pageToken": {"abc"}}, "not base64": {"pageToken": {"?"}},
	}
	for name, query := range cases {
		if _, err := (googleapi.Paging{List: "numbers", Default: 2, Max: 3}).Read(query); googleapi.Refused(err).HTTP != 400 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestQuery(t *testing.T) {
	cases := map[string]struct{ query, field string }{
		"known":            {"pageSize=2&alt=json&prettyPrint=false", ""},
		"nothing":          {"", ""},
		"unknown":          {"colour=red&pageSize=2", "colour"},
		"repeated":         {"pageSize=2&pageSize=3", "pageSize"},
		"another form":     {"alt=media", "alt"},
		"not to be parsed": {"a=%zz", "-"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			_, err := googleapi.Query(httptest.NewRequest("GET", "/?"+c.query, nil), "pageSize")
			switch refusal := googleapi.Refused(err); {
			case c.field == "" && err != nil:
				t.Error(err)
			case c.field == "-" && refusal.HTTP != 400:
				t.Error(strconv.Itoa(refusal.HTTP))
			case c.field != "" && c.field != "-" && (refusal.HTTP != 400 || refusal.Field != c.field):
				t.Errorf("got %+v", refusal)
			}
		})
	}
}
