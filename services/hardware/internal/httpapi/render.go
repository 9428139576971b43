package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"backend.example/services/hardware/internal/catalog"
	"backend.example/services/hardware/internal/lookup"
	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/rankings"
)

// rendered is the encoded form of a value. It is made once, and from then on only cut
// and copied.
type rendered struct {
	payload    []byte      // JSON; see renderRanking and renderPrice
	ends       []int       // of a ranking: payload[:ends[n-1]] holds its first n rows
	digest     string      // identifies the whole value; the ground of a strong ETag
	compressed *compressed // payload in DEFLATE; nil for one that is short or not kept
}

// KeepRanking makes what is kept beside a ranking, for lookup.Options.Render.
func KeepRanking(a *rankings.Answer) (form any, bytes int) { return keep(renderRanking(a.Value)) }

// KeepPrice makes what is kept beside a price, for lookup.Options.Render.
func KeepPrice(a *prices.Answer) (form any, bytes int) { return keep(renderPrice(a.Value)) }

// KeepMatch makes what is kept beside a search that told the whole answer.
func KeepMatch(m *lookup.Answer[prices.Match]) (form any, bytes int) {
	if m.Value.Number != "" {
		return nil, 0
	}
	return KeepPrice(prices.AnswerOf(m))
}

// keep compresses a form that is given out more than once. A value that cannot be
// encoded has none: whoever asks for it gets the error.
func keep(r *rendered, err error) (form any, bytes int) {
	if err != nil {
		return nil, 0
	}
	r.compressed = compress(r.payload, r.ends)
	return r, cap(r.payload) + 8*cap(r.ends) + len(r.digest) + r.compressed.size()
}

// formOf returns the form that is kept beside an answer, or makes one for this
// response alone.
func formOf[V lookup.Value](a *lookup.Answer[V], render func(V) (*rendered, error)) (*rendered, error) {
	if kept, ok := a.Rendered.(*rendered); ok {
		return kept, nil
	}
	return render(a.Value)
}

// rowDocument is a row as the ranking response shows it.
type rowDocument struct {
	Type       string  `json:"type"`
	PartNumber string  `json:"partNumber"`
	Brand      string  `json:"brand"`
	Model      string  `json:"model"`
	Rank       int     `json:"rank"`
	Benchmark  float64 `json:"benchmark"`
	Samples    int     `json:"samples"`
	URL        string  `json:"url"`
}

// renderRanking encodes the rows that may be asked for: JSON objects divided by
// commas, without the surrounding brackets, so that an answer of any length is a
// prefix of it. The digest is that of all rows.
func renderRanking(ranking rankings.Ranking) (*rendered, error) {
	var payload bytes.Buffer
	ends := make([]int, len(ranking.Rows))
	for i, row := range ranking.Rows {
		if i > 0 {
			payload.WriteByte(',')
		}
		if err := encode(&payload, rowDocument(row)); err != nil {
			return nil, fmt.Errorf("encode row of rank %d: %w", row.Rank, err)
		}
		ends[i] = payload.Len()
	}
	r := &rendered{digest: digest([]byte(ranking.Source), payload.Bytes())}
	r.ends = slices.Clone(ends[:min(len(ends), rankings.MaxLimit)])
	if n := len(r.ends); n > 0 {
		r.payload = bytes.Clone(payload.Bytes()[:r.ends[n-1]])
	}
	return r, nil
}

// rankingBody returns the consecutive parts of the ranking response with at most
// limit rows; head is appended to buf.
func (r *rendered) rankingBody(buf []byte, source string, family catalog.Family, limit int) (head, rows, tail []byte) {
	n := r.rows(limit)
	buf = append(append(buf, `{"source":"`...), source...)
	buf = append(append(buf, `","family":"`...), family...)
	buf = strconv.AppendInt(append(buf, `","count":`...), int64(n), 10)
	buf = append(buf, `,"rows":[`...)
	if n > 0 {
		end := r.ends[n-1]
		rows = r.payload[:end:end]
	}
	return buf, rows, rankingTail
}

var rankingTail = []byte("]}")

// rows is how many of the wanted rows the ranking has.
func (r *rendered) rows(limit int) int { return min(limit, len(r.ends)) }

// RankingJSON is the whole response with at most limit rows.
func RankingJSON(a *rankings.Answer, family catalog.Family, limit int) ([]byte, error) {
	r, err := formOf(a, renderRanking)
	if err != nil {
		return nil, err
	}
	head, rows, tail := r.rankingBody(nil, a.Value.Source, family, limit)
	return slices.Concat(head, rows, tail), nil
}

// encode appends v as JSON, with "&", "<" and ">" left readable.
func encode(to *bytes.Buffer, v any) error {
	e := json.NewEncoder(to)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	to.Truncate(to.Len() - 1) // the line feed
	return nil
}

func digest(parts ...[]byte) string {
	h := sha256.New()
	for _, part := range parts {
		h.Write(part)
		h.Write([]byte{0})
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:12])
}
