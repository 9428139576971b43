package httpapi

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/httpx"
)

// answerAudits answers with a body about audits of a company, in one of its forms.
// Clients keep it and ask whether it is still current, which is told by the company and
// the ids of the audits: an audit never changes.
func (a *API) answerAudits(c echo.Context, company directory.CompanyHead, ids []int64, form string, body func([]directory.Audit) any) error {
	state := fmt.Sprintf("%s %d %q %q %d", a.Build, company.ID, company.Name, company.Slug, ids)
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(state)) // never fails
	tag := fmt.Sprintf(`"%x"`, hash.Sum64())
	current := httpx.MatchesETag(c.Request().Header.Values("If-None-Match"), tag)
	var encoded []byte
	if !current {
		var err error
		if encoded, err = a.auditBody(c, company, ids, form+" "+state, body); err != nil {
			return err
		}
	}
	header := c.Response().Header()
	header.Set(echo.HeaderCacheControl, "no-cache")
	header.Set("ETag", tag)
	if current {
		return c.NoContent(http.StatusNotModified)
	}
	return c.JSONBlob(http.StatusOK, encoded)
}

// auditBody is the encoded body, which is kept under a key that tells all it depends
// on. What the key tells was just read, so that a kept body is never an old one.
func (a *API) auditBody(c echo.Context, company directory.CompanyHead, ids []int64, key string, body func([]directory.Audit) any) ([]byte, error) {
	if encoded, ok := a.bodies.GetIfPresent(key); ok {
		return encoded, nil
	}
	audits, err := a.Audits.ByID(c.Request().Context(), company.ID, ids)
	if err != nil {
		return nil, err
	}
	if len(audits) == 0 && len(ids) > 0 { // the company was deleted meanwhile
		return nil, directory.CodeCompanyNotFound.Fault()
	}
	encoded, err := json.Marshal(body(audits))
	if err != nil {
		return nil, err
	}
	encoded = append(encoded, '\n')
	if len(audits) == len(ids) {
		a.bodies.Set(key, encoded)
	}
	return encoded, nil
}
