package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/site"
)

// deliveriesShown is how many deliveries of an address are shown.
const deliveriesShown = 5

// webhooksView is the part of the integrations for the company's own addresses.
type webhooksView struct {
	Action    string
	MayEdit   bool
	Addresses []webhookView
}

// webhookView is one address.
type webhookView struct {
	URL        string
	Action     string // its forms are below it
	State      grade
	Deliveries []deliveryView // newest first
}

// deliveryView is one event on its way.
type deliveryView struct {
	At    time.Time
	Event string // Polish
	grade
}

// secretView is the page that shows a secret, once.
type secretView struct{ URL, Secret string }

func (h *Handlers) webhooks(ctx context.Context, v visitor, companyID int64) (*webhooksView, error) {
	hooks, err := h.Webhooks.List(ctx, &companyID)
	if err != nil {
		return nil, err
	}
	view := &webhooksView{Action: webhooksPath, MayEdit: v.canEdit(companyID)}
	for _, hook := range hooks {
		shown := webhookView{
			URL: hook.URL, Action: webhooksPath + "/" + strconv.FormatInt(hook.ID, 10), State: grade{"Włączony", site.Good},
		}
		if hook.Disabled != "" {
			shown.State = grade{disabledTexts[hook.Disabled], site.Bad}
		}
		deliveries, err := h.Webhooks.Deliveries(ctx, hook.ID, deliveriesShown)
		if err != nil {
			return nil, err
		}
		for _, d := range deliveries {
			shown.Deliveries = append(shown.Deliveries, deliveryView{At: d.At, Event: eventTexts[d.Type], grade: gradeOfDelivery(d)})
		}
		view.Addresses = append(view.Addresses, shown)
	}
	return view, nil
}

var disabledTexts = map[webhook.DisabledReason]string{
	webhook.Gone:    "Wyłączony: odbiorca nie chce więcej powiadomień",
	webhook.Failing: "Wyłączony: odbiorca od dawna nie odpowiada",
}

var eventTexts = map[string]string{
	connection.EventBroken:    "Połączenie wymaga odnowienia",
	connection.EventRecovered: "Połączenie znów działa",
	audit.EventCompleted:      "Audyt zakończony",
	webhook.EventTest:         "Próba",
}

var resultTexts = map[webhook.Result]string{
	webhook.Refused:      "odbiorca odmówił",
	webhook.ReceiverGone: "odbiorca nie chce więcej powiadomień",
	webhook.Unreachable:  "brak odpowiedzi",
	webhook.Forbidden:    "adres jest wewnętrzny",
	webhook.NoSecret:     "klucza nie można odczytać, utwórz nowy",
}

// gradeOfDelivery is, for example, "Czeka: odbiorca odmówił (503)".
func gradeOfDelivery(d webhook.Delivery) grade {
	if d.State == webhook.Delivered {
		return grade{"Dostarczono", site.Good}
	}
	shown := grade{"Czeka", site.Warning}
	if d.State == webhook.Parked {
		shown = grade{"Nie dostarczono", site.Bad}
	}
	if text := resultTexts[d.Result]; text != "" {
		shown.Text += ": " + text
	}
	if d.Status != 0 {
		shown.Text += " (" + strconv.Itoa(d.Status) + ")"
	}
	return shown
}

// addWebhook answers POST /konto/integracje/powiadomienia with the secret, which no
// other page shows.
func (h *Handlers) addWebhook(c echo.Context, v visitor, companyID int64) error {
	form, err := readForm(c)
	if err != nil {
		return err
	}
	added, err := h.Webhooks.Add(c.Request().Context(), v.Actor.By(), &companyID, strings.TrimSpace(form.Get("adres")))
	if err != nil {
		return err
	}
	return h.showSecret(c, v, added)
}

func (h *Handlers) showSecret(c echo.Context, v visitor, hook webhook.Webhook) error {
	return h.show(c, http.StatusOK, page{name: "secret", title: "Klucz powiadomień", visitor: v, data: secretView{hook.URL, hook.Secret}})
}

// onWebhook admits who may edit the company to a change of one of its addresses.
func (h *Handlers) onWebhook(change func(echo.Context, visitor, webhook.Webhook) error) echo.HandlerFunc {
	return h.asEditor(integrationsPath, func(c echo.Context, v visitor, companyID int64) error {
		id, err := strconv.ParseInt(c.Param("id"), 10, 64)
		if err != nil {
			return webhook.CodeNoWebhook.Fault()
		}
		hook, err := h.Webhooks.Owned(c.Request().Context(), companyID, id)
		if err != nil {
			return err
		}
		return change(c, v, hook)
	})
}

// testWebhook answers POST /konto/integracje/powiadomienia/{id}/proba.
func (h *Handlers) testWebhook(c echo.Context, v visitor, hook webhook.Webhook) error {
	d, err := h.Webhooks.Test(c.Request().Context(), v.Actor.By(), hook.ID)
	outcome := "webhook_taken"
	if d.State != webhook.Delivered {
		outcome = "webhook_not_taken"
	}
	return h.finish(c, outcome, err)
}

// rotateWebhook answers POST /konto/integracje/powiadomienia/{id}/klucz.
func (h *Handlers) rotateWebhook(c echo.Context, v visitor, hook webhook.Webhook) error {
	rotated, err := h.Webhooks.Rotate(c.Request().Context(), v.Actor.By(), hook.ID)
	if err != nil {
		return err
	}
	return h.showSecret(c, v, rotated)
}

// removeWebhook answers POST /konto/integracje/powiadomienia/{id}/usun.
func (h *Handlers) removeWebhook(c echo.Context, v visitor, hook webhook.Webhook) error {
	return h.finish(c, "webhook_removed", h.Webhooks.Remove(c.Request().Context(), v.Actor.By(), hook.ID))
}
