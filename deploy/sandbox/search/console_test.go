package search_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

type analyticsAnswer struct {
	Rows []struct {
		Keys                []string
		Clicks, Impressions int
		CTR, Position       float64
	}
	ResponseAggregationType string
}

// query asks for the figures of a site with the token of a person.
func (a *app) query(person, address, body string) analyticsAnswer {
	a.t.Helper()
	return read[analyticsAnswer](a.t, a.call("POST", queryPath(address), a.connect(person, "scope", sites).AccessToken, body))
}

func queryPath(address string) string {
	return "/webmasters/v3/sites/" + url.PathEscape(address) + "/searchAnalytics/query"
}

const bakerySite = "sc-domain:piekarnia-kowalski.example"

func TestSitesOfPeople(t *testing.T) {
	a := newApp(t)
	for person, want := range map[string]string{
		"anna":  `{"siteEntry":[{"siteUrl":"` + bakerySite + `","permissionLevel":"siteOwner"},{"siteUrl":"https://piekarnia-kowalski.example/","permissionLevel":"siteFullUser"}]}`,
		"marek": `{"siteEntry":[{"siteUrl":"https://warsztat-nowak.example/","permissionLevel":"siteUnverifiedUser"}]}`,
		"zofia": `{}`,
	} {
		answer := a.call("GET", "/webmasters/v3/sites", a.connect(person, "scope", sites).AccessToken, "")
		if got := strings.Join(strings.Fields(answer.Body.String()), ""); answer.Code != 200 || got != want {
			t.Errorf("%s: got %d %s, want %s", person, answer.Code, got, want)
		}
	}
}

func TestFiguresByDay(t *testing.T) {
	a := newApp(t)
	for _, address := range []string{bakerySite, "https://piekarnia-kowalski.example/"} {
		got := a.query("anna", address, `{"startDate":"2026-11-15","endDate":"2026-11-21","dimensions":["date"],"dataState":"final"}`)
		var days []string
		for _, row := range got.Rows {
			days = append(days, row.Keys...)
			if row.Clicks > row.Impressions || row.CTR != float64(row.Clicks)/float64(row.Impressions) || row.Position < 1 {
				t.Errorf("odd figures: %+v", row)
			}
		}
		if want := []string{"2026-11-15", "2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19"}; !slices.Equal(days, want) {
			t.Errorf("%s: days %q, want %q: the newest figures are two days old", address, days, want)
		}
		if got.ResponseAggregationType != "byProperty" {
			t.Errorf("aggregated %s", got.ResponseAggregationType)
		}
	}
}

func TestADayHasTheSameFiguresInEveryRange(t *testing.T) {
	a := newApp(t)
	long := a.query("anna", bakerySite, `{"startDate":"2026-11-01","endDate":"2026-11-10","dimensions":["date"]}`)
	short := a.query("anna", bakerySite, `{"startDate":"2026-11-10","endDate":"2026-11-10","dimensions":["date"]}`)
	if len(long.Rows) != 10 || len(short.Rows) != 1 || long.Rows[9].Clicks != short.Rows[0].Clicks || long.Rows[9].Impressions != short.Rows[0].Impressions {
		t.Errorf("got %+v and %+v", long.Rows, short.Rows)
	}
}

func TestFiguresByOtherDimensions(t *testing.T) {
	a := newApp(t)
	whole := `"startDate":"2026-10-01","endDate":"2026-10-28"`
	for name, c := range map[string]struct {
		body string
		rows int
	}{
		"none":      {`{` + whole + `}`, 1},
		"queries":   {`{` + whole + `,"dimensions":["query"]}`, 6},
		"two":       {`{` + whole + `,"dimensions":["page","device"]}`, 9},
		"limit":     {`{` + whole + `,"dimensions":["date"],"rowLimit":10}`, 10},
		"last rows": {`{` + whole + `,"dimensions":["date"],"startRow":20}`, 8},
		"past all":  {`{` + whole + `,"dimensions":["date"],"startRow":28}`, 0},
		"images":    {`{` + whole + `,"type":"image"}`, 0},
		"long ago":  {`{"startDate":"2020-01-01","endDate":"2020-02-01"}`, 0},
		"future":    {`{"startDate":"2027-01-01","endDate":"2027-02-01"}`, 0},
	} {
		got := a.query("anna", bakerySite, c.body)
		if len(got.Rows) != c.rows {
			t.Errorf("%s: %d rows, want %d", name, len(got.Rows), c.rows)
		}
		if name == "two" && (got.ResponseAggregationType != "byPage" || !strings.HasPrefix(got.Rows[0].Keys[0], "https://piekarnia-kowalski.example/")) {
			t.Errorf("%s: got %+v", name, got)
		}
		if name == "queries" && !slices.IsSortedFunc(got.Rows, func(x, y struct {
			Keys                []string
			Clicks, Impressions int
			CTR, Position       float64
		}) int {
			return y.Clicks - x.Clicks
		}) {
			t.Errorf("not the most clicks first: %+v", got.Rows)
		}
	}
	a.set(`{"empty_lists":true}`)
	if got := a.query("anna", bakerySite, `{`+whole+`}`); len(got.Rows) != 0 {
		t.Errorf("with the knob: %+v", got)
	}
}

func TestQueriesAreRefused(t *testing.T) {
	a := newApp(t)
	const good = `{"startDate":"2026-10-01","endDate":"2026-10-28"}`
	tokens := map[string]string{}
	for _, person := range []string{"anna", "marek"} {
		tokens[person] = a.connect(person, "scope", sites).AccessToken
	}
	for name, c := range map[string]struct {
		person, address, body string
		status                int
		text                  string
	}{
		"unverified":        {"marek", "https://warsztat-nowak.example/", good, 403, "sufficient permission"},
		"somebody else's":   {"marek", bakerySite, good, 403, "sufficient permission"},
		"unknown":           {"anna", "https://nobody.example/", good, 403, "sufficient permission"},
		"no body":           {"anna", bakerySite, "", 400, "Invalid JSON"},
		"two objects":       {"anna", bakerySite, good + good, 400, "more than one"},
		"unknown member":    {"anna", bakerySite, `{"start":"2026-10-01"}`, 400, "unknown field"},
		"no dates":          {"anna", bakerySite, `{}`, 400, "start_date"},
		"odd end":           {"anna", bakerySite, `{"startDate":"2026-10-01","endDate":"2026-10-32"}`, 400, "end_date"},
		"backwards":         {"anna", bakerySite, `{"startDate":"2026-10-28","endDate":"2026-10-01"}`, 400, "end_date"},
		"unknown dimension": {"anna", bakerySite, `{"startDate":"2026-10-01","endDate":"2026-10-28","dimensions":["colour"]}`, 400, "dimensions"},
		"repeated":          {"anna", bakerySite, `{"startDate":"2026-10-01","endDate":"2026-10-28","dimensions":["date","date"]}`, 400, "dimensions"},
		"too many rows":     {"anna", bakerySite, `{"startDate":"2026-10-01","endDate":"2026-10-28","rowLimit":25001}`, 400, "row_limit"},
		"negative start":    {"anna", bakerySite, `{"startDate":"2026-10-01","endDate":"2026-10-28","startRow":-1}`, 400, "start_row"},
		"unknown type":      {"anna", bakerySite, `{"startDate":"2026-10-01","endDate":"2026-10-28","type":"smell"}`, 400, `"field": "type"`},
	} {
		answer := a.call("POST", queryPath(c.address), tokens[c.person], c.body)
		if answer.Code != c.status || !strings.Contains(answer.Body.String(), c.text) {
			t.Errorf("%s: got %d %s, want %d %s", name, answer.Code, answer.Body, c.status, c.text)
		}
	}
}
