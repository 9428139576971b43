package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"backend.example/services/hardware/internal/rankings"
)

// rowFrame is what surrounds the texts of a row in the answer, figures included.
const rowFrame = len(`{"type":"CPU","partNumber":"","brand":"","model":"","rank":1000,"benchmark":100.5,"samples":100000,"url":""},`)

// appendRows encodes rows as encoding/json would, with "&", "<" and ">" left readable,
// and says where each of them ends. A figure that JSON cannot hold is an error.
func appendRows(rows []rankings.Row) (payload []byte, ends []int, err error) {
	size := len(rows) * rowFrame
	for i := range rows {
		r := &rows[i]
		size += len(r.PartNumber) + len(r.Brand) + len(r.Model) + len(r.URL)
	}
	payload, ends = make([]byte, 0, size), make([]int, len(rows))
	for i := range rows {
		r := &rows[i]
		if math.IsNaN(r.Benchmark) || math.IsInf(r.Benchmark, 0) {
			return nil, nil, fmt.Errorf("encode row of rank %d: benchmark %v", r.Rank, r.Benchmark)
		}
		if i > 0 {
			payload = append(payload, ',')
		}
		payload = appendRow(payload, r)
		ends[i] = len(payload)
	}
	return payload, ends, nil
}

func appendRow(b []byte, r *rankings.Row) []byte {
	b = appendText(append(b, `{"type":"`...), r.Type)
	b = appendText(append(b, `","partNumber":"`...), r.PartNumber)
	b = appendText(append(b, `","brand":"`...), r.Brand)
	b = appendText(append(b, `","model":"`...), r.Model)
	b = strconv.AppendInt(append(b, `","rank":`...), int64(r.Rank), 10)
	b = appendNumber(append(b, `,"benchmark":`...), r.Benchmark)
	b = strconv.AppendInt(append(b, `,"samples":`...), int64(r.Samples), 10)
	b = appendText(append(b, `,"url":"`...), r.URL)
	return append(b, `"}`...)
}

// plain are the bytes that stand for themselves in a JSON string.
var plain = func() (table [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

// appendText appends s as what stands between the quotes of a JSON string. Text
// beyond ASCII is rare and left to encoding/json, which knows what is not UTF-8.
func appendText(b []byte, s string) []byte {
	start, written := len(b), 0
	for i := range len(s) {
		c := s[i]
		if plain[c] {
			continue
		}
		if c != '"' && c != '\\' {
			quoted := encodeValue(s)
			return append(b[:start], quoted[1:len(quoted)-1]...)
		}
		b = append(append(b, s[written:i]...), '\\')
		written = i
	}
	return append(b, s[written:]...)
}

// appendNumber appends v, which is finite, as JSON. Figures with at most one decimal,
// the usual ones, are written as tenths; encoding/json gives the very large and the
// very small an exponent.
func appendNumber(b []byte, v float64) []byte {
	if v >= 0.1 && v < 1e12 {
		if tenths := int64(v*10 + 0.5); float64(tenths)/10 == v {
			b = strconv.AppendInt(b, tenths/10, 10)
			if tenths%10 == 0 {
				return b
			}
			return append(b, '.', byte('0'+tenths%10))
		}
	}
	if v == 0 || math.Abs(v) >= 1e-6 && math.Abs(v) < 1e21 {
		return strconv.AppendFloat(b, v, 'f', -1, 64)
	}
	return append(b, encodeValue(v)...)
}

// encodeValue is encode of a string or a finite number: each has a form.
func encodeValue(v any) []byte {
	encoded, _ := encode(v)
	return encoded
}

// encode is json.Marshal with "&" left readable in addresses.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
