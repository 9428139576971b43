package benchmarksite

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"backend.example/deploy/sandbox/internal/seeded"
)

// header is the first line of every download since 2019.
const header = "Type,Part Number,Brand,Model,Rank,Benchmark,Samples,URL"

// firstID lies far above the numbers that the real site has given out, so a
// row's URL never shows the figures of some other part.
const firstID = 90_000_000

// row is one line of a download.
type row struct {
	family, number, brand, model string
	rank                         int
	benchmark                    string // about three digits, dot decimal
	samples                      int
	url                          string
}

// encode writes the format of the site: no quotes at all, LF, newline at the
// end. No field holds a comma.
func encode(rows []row) []byte {
	var body bytes.Buffer
	body.WriteString(header + "\n")
	for _, r := range rows {
		fields := []string{r.family, r.number, r.brand, r.model,
			strconv.Itoa(r.rank), r.benchmark, strconv.Itoa(r.samples), r.url}
		body.WriteString(strings.Join(fields, ",") + "\n")
	}
	return body.Bytes()
}

// rank sorts the parts by score and gives each its rank; the variants of a
// part follow it with the same rank, figures and URL.
func rank(family string, parts []part) []row {
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.score, a.score) })
	var rows []row
	for i, p := range parts {
		base := row{
			family: family, number: p.number, brand: p.brand, model: p.model,
			rank: i + 1, benchmark: decimal(p.score), samples: samples(family, p), url: address(family, p),
		}
		rows = append(rows, base)
		for _, v := range p.variants {
			twin := base
			twin.number, twin.brand, twin.model = v.number, v.brand, v.model
			rows = append(rows, twin)
		}
	}
	return rows
}

// decimal writes three significant digits, and three decimals at most (424,
// 98.3, 9.96, 0.004).
func decimal(score float64) string {
	if score < 1 {
		return strconv.FormatFloat(math.Round(score*1000)/1000, 'f', -1, 64)
	}
	return strconv.FormatFloat(score, 'g', 3, 64)
}

// samples is spread evenly over the orders of magnitude from 200 to half a
// million; weak parts have few or none.
func samples(family string, p part) int {
	random := seeded.Rand("samples", family, p.brand, p.model)
	if p.score < 5 {
		return random.IntN(40)
	}
	return int(200 * math.Pow(2_500, random.Float64()))
}

// address is one of the two forms of the site's row URLs.
func address(family string, p part) string {
	host := "https://" + strings.ToLower(family) + ".userbenchmark.com/"
	random := seeded.Rand("url", family, p.brand, p.model)
	id := strconv.Itoa(firstID + random.IntN(9_000_000))
	name := slug(p.brand + " " + p.model)
	if random.IntN(3) == 0 {
		return host + name + "/Rating/" + id
	}
	return host + "SpeedTest/" + id + "/" + name
}

func slug(name string) string {
	parts := strings.FieldsFunc(name, func(letter rune) bool {
		return !('a' <= letter && letter <= 'z' || 'A' <= letter && letter <= 'Z' || '0' <= letter && letter <= '9')
	})
	return strings.Join(parts, "-")
}
