package httpapi

import (
	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
)

// Audits on one page of a history.
const (
	historyDefault = 20
	historyMax     = 100
)

type historyResponse struct {
	ofCompany
	Audits     []pastAudit `json:"audits"`
	NextBefore *int64      `json:"next_before"` // null on the last page
}

// pastAudit is an audit without its details.
type pastAudit struct {
	dated
	Score    float64 `json:"completeness_score"`
	Category string  `json:"score_category"`
	figures
	Source   directory.ProfileSource `json:"audit_source"`
	Version  string                  `json:"audit_version"`
	Coverage float64                 `json:"coverage"`
}

// History answers GET /api/bizprofile/audit/{slug}/history?before=&limit=.
func (a *API) History(c echo.Context) error {
	before, err := QueryID(c, "before")
	if err != nil {
		return err
	}
	limit, err := QueryID(c, "limit")
	if err != nil {
		return err
	}
	if limit == 0 {
		limit = historyDefault
	}
	n := int(min(limit, historyMax))
	company, audits, err := a.Audits.History(c.Request().Context(), PathParam(c, "slug"), before, n+1)
	if err != nil {
		return err
	}
	return JSONWithETag(c, describeHistory(company, audits, n))
}

// describeHistory is a page of n audits; one more says that there is another page.
func describeHistory(company directory.Company, audits []directory.Audit, n int) historyResponse {
	answer := historyResponse{ofCompany: describeCompany(company), Audits: []pastAudit{}}
	if len(audits) > n {
		audits = audits[:n]
		answer.NextBefore = &audits[n-1].ID
	}
	for _, audit := range audits {
		answer.Audits = append(answer.Audits, pastAudit{
			dated: datedOf(audit), Score: audit.Score, Category: audit.Category, figures: figuresOf(audit),
			Source: audit.Source, Version: audit.Version, Coverage: audit.Coverage(),
		})
	}
	return answer
}
