package places

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"backend.example/deploy/sandbox/internal/fixtures"
	"backend.example/deploy/sandbox/internal/googleapi"
)

// The limits of a text search
// (https://developers.google.com/maps/documentation/places/web-service/text-search).
const (
	maxSearchBody = 64 << 10
	maxPage       = 20
)

type searchRequest struct {
	TextQuery    string `json:"textQuery"`
	LanguageCode string `json:"languageCode"`
	RegionCode   string `json:"regionCode"`
	PageSize     int    `json:"pageSize"` // 0: maxPage
}

// searchText answers the masked fields of the places that a text describes, the best
// first: {} when there is none. Only the first page is served.
func (s *site) searchText(r *http.Request) (any, error) {
	if _, err := googleapi.Query(r); err != nil {
		return nil, err
	}
	mask, err := readMask(r, "places.")
	if err != nil {
		return nil, err
	}
	asked, err := readSearch(r)
	if err != nil {
		return nil, err
	}
	found := s.find(asked.TextQuery)
	var list []map[string]any
	for _, b := range found[:min(len(found), asked.PageSize)] {
		masked, err := mask.Apply(newPlace(b, s.idOf(b)))
		if err != nil {
			return nil, err
		}
		list = append(list, masked)
	}
	if list == nil {
		return struct{}{}, nil
	}
	return map[string]any{"places": list}, nil
}

func readSearch(r *http.Request) (searchRequest, error) {
	var asked searchRequest
	decoder := json.NewDecoder(io.LimitReader(r.Body, maxSearchBody))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&asked); err != nil {
		return asked, googleapi.Invalid("Invalid JSON payload received. %v", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return asked, googleapi.Invalid("Invalid JSON payload received. There is more than one object.")
	}
	switch {
	case strings.TrimSpace(asked.TextQuery) == "":
		return asked, googleapi.InvalidField("text_query", "Empty text_query.")
	case asked.PageSize < 0:
		return asked, googleapi.InvalidField("page_size", "page_size must not be negative")
	case asked.PageSize == 0 || asked.PageSize > maxPage:
		asked.PageSize = maxPage
	}
	return asked, nil
}

// find lists the businesses that a text describes, those with the most of its words
// first. Each has at least half of them, one of these in its name or trade.
func (s *site) find(text string) []fixtures.Business {
	if s.toggles.On(toggleEmpty) {
		return nil
	}
	query := words(text)
	agreeing := map[string]int{}
	var found []fixtures.Business
	for _, b := range fixtures.Businesses() {
		what := words(b.Name)
		for _, c := range b.Categories {
			what = append(what, words(c.Name)...)
		}
		named, all := agree(query, what), agree(query, append(what, words(b.Address()+" "+b.City)...))
		if named > 0 && 2*all >= len(query) {
			agreeing[b.Slug] = all
			found = append(found, b)
		}
	}
	slices.SortStableFunc(found, func(a, b fixtures.Business) int { return cmp.Compare(agreeing[b.Slug], agreeing[a.Slug]) })
	return found
}

// agree counts the words of a query that are among others.
func agree(query, others []string) int {
	count := 0
	for _, word := range query {
		if slices.Contains(others, word) {
			count++
		}
	}
	return count
}

// words splits a text into words and numbers without case and diacritics.
func words(text string) []string {
	return strings.FieldsFunc(fixtures.Plain(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
