package httpapi

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/directory"
	"backend.example/services/internal/kit/httpx"
)

// signedRequest is what the provider sends by itself: the signature stands for the
// login, and nothing of a browser is believed.
type signedRequest struct {
	Signed string `body:"signed_request,required"`
}

// deletionResponse has the names that the provider asks for.
type deletionResponse struct {
	URL  string `json:"url"`
	Code string `json:"confirmation_code"`
}

// Deauthorize answers POST /api/oauth/provider_social/deauthorize.
func (a *API) Deauthorize(c echo.Context) error {
	asked, err := BindForm(c, signedRequest{})
	if err != nil {
		return err
	}
	if err := a.Erasures.Deauthorize(c.Request().Context(), httpx.RequestID(c), directory.ProviderSocial, asked.Signed); err != nil {
		return err
	}
	return c.NoContent(http.StatusOK)
}

// DeleteData answers POST /api/oauth/provider_social/data-deletion.
func (a *API) DeleteData(c echo.Context) error {
	asked, err := BindForm(c, signedRequest{})
	if err != nil {
		return err
	}
	deletion, address, err := a.Erasures.DeleteData(c.Request().Context(), httpx.RequestID(c), directory.ProviderSocial, asked.Signed)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, deletionResponse{URL: address, Code: deletion.Code})
}
