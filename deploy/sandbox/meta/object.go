package meta

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// The number of objects of a list that are answered at once.
const (
	usualLimit = 25
	maxLimit   = 100
)

// object is a node of the graph.
type object struct {
	kind   string         // as errors call it, e.g. "Page"
	usual  []string       // fields besides the id that are answered if none are asked for
	fields map[string]any // every field of the kind; nil or "" if absent, a func() any is called on demand
}

func (o object) pick(fields []string) (map[string]any, error) {
	if len(fields) == 0 {
		fields = o.usual
	}
	picked := map[string]any{"id": o.fields["id"]}
	for _, name := range fields {
		value, known := o.fields[name]
		if !known {
			return nil, badParameter("Tried accessing nonexisting field (%s) on node type (%s)", name, o.kind)
		}
		if compute, lazy := value.(func() any); lazy {
			value = compute()
		}
		if value != nil && value != "" {
			picked[name] = value
		}
	}
	return picked, nil
}

// readFields does not support field expansion
// (https://developers.facebook.com/docs/graph-api/guides/field-expansion).
func (c *call) readFields() []string {
	if text := c.Form.Get("fields"); text != "" {
		return strings.Split(text, ",")
	}
	return nil
}

// list answers the requested part of the objects (https://developers.facebook.com/docs/graph-api/results).
func (c *call) list(path string, objects []object) (any, error) {
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
	data := []map[string]any{}
	for _, o := range part {
		picked, err := o.pick(c.readFields())
		if err != nil {
			return nil, err
		}
		data = append(data, picked)
	}
	answer := map[string]any{"data": data}
	if len(part) > 0 {
		last := cursorOf(part[len(part)-1])
		paging := map[string]any{"cursors": map[string]string{"before": cursorOf(part[0]), "after": last}}
		if from+len(part) < len(objects) {
			paging["next"] = c.address(path, last)
		}
		answer["paging"] = paging
	}
	return answer, nil
}

func cursorOf(o object) string {
	return base64.URLEncoding.EncodeToString([]byte("cursor:" + fmt.Sprint(o.fields["id"])))
}

// address is absolute, with the token in it and without the proof.
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
