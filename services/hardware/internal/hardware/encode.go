package hardware

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"
)

// RankingEncoder makes the Answer of a ranking row by row, without keeping rows.
type RankingEncoder struct {
	payload []byte
	ends    []int
}

// frame is what surrounds the fields of a row in the answer.
const frame = `{"type":"","partNumber":"","brand":"","model":"","rank":,"benchmark":,"samples":,"url":""},`

// NewRankingEncoder returns a RankingEncoder with room for rows whose fields take
// so many bytes together.
func NewRankingEncoder(rows, bytes int) *RankingEncoder {
	return &RankingEncoder{payload: make([]byte, 0, bytes+rows*len(frame)), ends: make([]int, 0, rows)}
}

// Add encodes the next row as it would be by encoding/json, with "&", "<" and ">"
// left readable. A figure that JSON cannot hold is an error.
func (e *RankingEncoder) Add(r *Row) error {
	if math.IsNaN(r.Benchmark) || math.IsInf(r.Benchmark, 0) {
		return fmt.Errorf("encode row of rank %d: benchmark %v", r.Rank, r.Benchmark)
	}
	b := e.payload
	if len(b) > 0 {
		b = append(b, ',')
	}
	b = appendText(append(b, `{"type":"`...), r.Type)
	b = appendText(append(b, `","partNumber":"`...), r.PartNumber)
	b = appendText(append(b, `","brand":"`...), r.Brand)
	b = appendText(append(b, `","model":"`...), r.Model)
	b = strconv.AppendInt(append(b, `","rank":`...), int64(r.Rank), 10)
	b = appendNumber(append(b, `,"benchmark":`...), r.Benchmark)
	b = strconv.AppendInt(append(b, `,"samples":`...), int64(r.Samples), 10)
	b = appendText(append(b, `,"url":"`...), r.URL)
	e.payload = append(b, `"}`...)
	e.ends = append(e.ends, len(e.payload))
	return nil
}

// Answer is the ranking of all rows added: JSON objects divided by commas, without
// the surrounding brackets, so that an answer of any length is a prefix of it.
func (e *RankingEncoder) Answer(source string) *Answer {
	return &Answer{Payload: e.payload, Ends: e.ends, Source: source, Digest: digest([]byte(source), e.payload)}
}

// EncodeRanking is the Answer of rows.
func EncodeRanking(source string, rows []Row) (*Answer, error) {
	e := NewRankingEncoder(len(rows), 0)
	for i := range rows {
		if err := e.Add(&rows[i]); err != nil {
			return nil, err
		}
	}
	return e.Answer(source), nil
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
