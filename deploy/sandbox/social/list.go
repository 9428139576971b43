package social

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strconv"
)

// The number of objects of a list that are answered at once.
const (
	usualLimit = 25
	maxLimit   = 100
)

// objectList is one part of a list
// (https://developers.facebook.com/docs/graph-api/results). Cursors are there
// with every object, Next only when there is more.
type objectList struct {
	Data   []map[string]any `json:"data"`
	Paging *paging          `json:"paging,omitempty"`
}

type paging struct {
	Cursors  *cursors `json:"cursors,omitempty"`
	Previous string   `json:"previous,omitempty"` // whole addresses, with the token in them
	Next     string   `json:"next,omitempty"`
}

type cursors struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// list answers the part of the objects that is asked for, with the usual fields
// where none are. Owner is the id of what the list hangs on.
func (s *site) list(c *call, owner string, objects []object, usual ...string) (any, *refusal) {
	fields, refused := readSelection(c.form.Get("fields"))
	if refused != nil {
		return nil, refused
	}
	if fields == nil {
		for _, name := range usual {
			fields = append(fields, field{name: name})
		}
	}
	if s.panel.On(knobEmptyLists) {
		objects = nil
	}
	from, to, refused := c.part(objects)
	if refused != nil {
		return nil, refused
	}
	data, refused := pickAll(objects[from:to], fields)
	if refused != nil || len(data) == 0 {
		return objectList{Data: data}, refused
	}
	p := &paging{Cursors: &cursors{cursorOf(objects[from]), cursorOf(objects[to-1])}}
	if from > 0 {
		p.Previous = c.address(owner, url.Values{"before": {p.Cursors.Before}})
	}
	if to < len(objects) {
		p.Next = c.address(owner, url.Values{"after": {p.Cursors.After}})
	}
	return objectList{data, p}, nil
}

// part reads limit and cursor: the objects from the first index up to the second.
func (c *call) part(objects []object) (from, to int, refused *refusal) {
	limit := usualLimit
	if text := c.form.Get("limit"); text != "" {
		number, err := strconv.Atoi(text)
		if err != nil || number < 1 {
			return 0, 0, badParameter("Param limit must be an integer greater than or equal to 1")
		}
		limit = min(number, maxLimit)
	}
	after, before := c.form.Get("after"), c.form.Get("before")
	switch {
	case after != "":
		from = position(objects, after) + 1
		if from == 0 {
			return 0, 0, badParameter("Invalid cursors values")
		}
		return from, min(from+limit, len(objects)), nil
	case before != "":
		if to = position(objects, before); to < 0 {
			return 0, 0, badParameter("Invalid cursors values")
		}
		return max(to-limit, 0), to, nil
	default:
		return 0, min(limit, len(objects)), nil
	}
}

func position(objects []object, cursor string) int {
	return slices.IndexFunc(objects, func(o object) bool { return cursorOf(o) == cursor })
}

func cursorOf(o object) string {
	id, _ := o.fields["id"].(string)
	return base64.URLEncoding.EncodeToString([]byte("cursor:" + id))
}

// address is where another part of the same answer is: an absolute address that
// holds the token, and not the proof.
func (c *call) address(owner string, change url.Values) string {
	query := url.Values{"access_token": {c.value}}
	for name, values := range c.form {
		if !slices.Contains([]string{"access_token", "appsecret_proof", "after", "before"}, name) {
			query[name] = values
		}
	}
	for name, values := range change {
		query[name] = values
	}
	scheme := "http"
	if c.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + c.Host + "/" + c.version + "/" + owner + "/" + c.PathValue("edge") + "?" + query.Encode()
}
