package social

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strconv"
)

// The number of objects of a list that are answered at once.
const (
	usualLimit = 25
	maxLimit   = 100
)

// objectList is one part of a list (https://developers.facebook.com/docs/graph-api/results).
type objectList struct {
	Data   []map[string]any `json:"data"`
	Paging *paging          `json:"paging,omitempty"`
}

type paging struct {
	Cursors cursors `json:"cursors"`
	Next    string  `json:"next,omitempty"` // a whole address, with the token in it; only when there is more
}

type cursors struct {
	Before string `json:"before"`
	After  string `json:"after"`
}

// list answers the part of the objects that is asked for. Path is that of the list
// behind the version.
func (s *site) list(c *call, path string, objects []object) (any, *refusal) {
	if s.toggles.On(toggleEmptyLists) {
		objects = nil
	}
	from, limit := 0, usualLimit
	if after := c.Form.Get("after"); after != "" {
		from = slices.IndexFunc(objects, func(o object) bool { return cursorOf(o) == after }) + 1
		if from == 0 {
			return nil, badParameter("Invalid cursors values")
		}
	}
	if text := c.Form.Get("limit"); text != "" {
		number, err := strconv.Atoi(text)
		if err != nil || number < 1 {
			return nil, badParameter("Param limit must be an integer greater than or equal to 1")
		}
		limit = min(number, maxLimit)
	}
	part := objects[from:min(from+limit, len(objects))]
	answer := objectList{Data: []map[string]any{}}
	for _, o := range part {
		picked, refused := o.pick(c.readFields())
		if refused != nil {
			return nil, refused
		}
		answer.Data = append(answer.Data, picked)
	}
	if len(part) > 0 {
		answer.Paging = &paging{Cursors: cursors{cursorOf(part[0]), cursorOf(part[len(part)-1])}}
		if from+len(part) < len(objects) {
			answer.Paging.Next = c.address(path, answer.Paging.Cursors.After)
		}
	}
	return answer, nil
}

func cursorOf(o object) string {
	return base64.URLEncoding.EncodeToString([]byte("cursor:" + fmt.Sprint(o.fields["id"])))
}

// address is where the rest of the same list is: an absolute address that holds the
// token, and not the proof.
func (c *call) address(path, after string) string {
	query := url.Values{}
	for name, values := range c.Form {
		if name != "appsecret_proof" {
			query[name] = values
		}
	}
	query.Set("access_token", c.value)
	query.Set("after", after)
	return "http://" + c.Host + "/" + c.PathValue("version") + "/" + path + "?" + query.Encode()
}
