package erasure

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/provider"
	"backend.example/services/internal/kit/httpx"
)

// form is what the provider sends by itself: the signature replaces the login, and
// nothing that a browser sends is trusted.
type form struct {
	Signed string `body:"signed_request,required"`
}

// PostDeauthorize handles POST /api/oauth/provider_social/deauthorize.
func (s *Service) PostDeauthorize(c echo.Context) error {
	f, err := httpapi.BindForm(c, form{})
	if err != nil {
		return err
	}
	if err := s.Deauthorize(c.Request().Context(), httpx.RequestID(c), provider.Social, f.Signed); err != nil {
		return err
	}
	return c.NoContent(http.StatusOK)
}

// deletionResponse has the names that the provider requires.
type deletionResponse struct {
	URL  string `json:"url"`
	Code string `json:"confirmation_code"`
}

// PostDeletion handles POST /api/oauth/provider_social/data-deletion.
func (s *Service) PostDeletion(c echo.Context) error {
	f, err := httpapi.BindForm(c, form{})
	if err != nil {
		return err
	}
	d, address, err := s.DeleteData(c.Request().Context(), httpx.RequestID(c), provider.Social, f.Signed)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, deletionResponse{URL: address, Code: d.Code})
}

// DeleteUser handles POST /api/admin/users/{id}/delete.
func (s *Service) DeleteUser(c echo.Context, actor account.Actor) error {
	id, ok := httpapi.PathID(c)
	if !ok {
		return account.CodeNoUser.Fault()
	}
	u, err := s.users().ByID(c.Request().Context(), id)
	if err != nil {
		return err
	}
	if err := s.User(c.Request().Context(), actor, u); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, httpapi.Done{Success: true, Message: "Użytkownik został usunięty."})
}
