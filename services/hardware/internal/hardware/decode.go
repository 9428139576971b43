package hardware

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// PriceResult is what a price answer says.
type PriceResult struct {
	Source string // the aggregator's domain
	Finding
	ScrapedAt time.Time
	Note      string // Polish, when nothing matched
}

// Ranking decodes the rows of a ranking answer, best first.
func (a *Answer) Ranking() ([]Row, error) {
	var rows []Row
	list := append(append([]byte{'['}, a.Payload...), ']')
	if err := json.Unmarshal(list, &rows); err != nil {
		return nil, fmt.Errorf("decode ranking: %w", err)
	}
	return rows, nil
}

// Price decodes a price answer.
func (a *Answer) Price() (PriceResult, error) {
	var p PriceResult
	if len(a.Payload) == 0 {
		return p, errors.New("decode price answer: it is empty")
	}
	object := append([]byte{'{'}, a.Payload[1:]...) // the payload begins with the comma behind the query
	if err := json.Unmarshal(object, &p); err != nil {
		return p, fmt.Errorf("decode price answer: %w", err)
	}
	return p, nil
}
