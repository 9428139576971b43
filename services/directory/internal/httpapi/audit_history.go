package httpapi

import (
	"fmt"

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

// history answers GET /api/bizprofile/audit/{slug}/history?before=&limit=.
func (a *API) history(c echo.Context) error {
	before, err := queryID(c, "before")
	if err != nil {
		return err
	}
	limit, err := queryID(c, "limit")
	if err != nil {
		return err
	}
	if limit == 0 {
		limit = historyDefault
	}
	n := int(min(limit, historyMax))
	company, ids, err := a.Audits.IDs(c.Request().Context(), directory.CompanyRef{Slug: pathParam(c, "slug")}, before, n+1)
	if err != nil {
		return err
	}
	return a.answerAudits(c, company, ids, fmt.Sprint("history ", n), func(audits []directory.Audit) any {
		return describeHistory(company, audits, n)
	})
}

// describeHistory is a page of n audits; one more says that there is another page.
func describeHistory(company directory.CompanyHead, audits []directory.Audit, n int) historyResponse {
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
