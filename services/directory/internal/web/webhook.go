package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"backend.example/services/directory/internal/audit"
	"backend.example/services/directory/internal/connection"
	"backend.example/services/directory/internal/httpapi"
	"backend.example/services/directory/internal/webhook"
	"backend.example/services/internal/kit/fault"
	"backend.example/services/internal/kit/site"
)

const deliveriesShown = 5

type developerView struct {
	Company   bool // the visitor has one
	MayEdit   bool
	Action    string
	Addresses []webhookView
	Input     string // a new address that was refused
	Problem   string // why
}

type webhookView struct {
	URL        string
	ID         string // of its part of the page
	Action     string // its forms are below it
	State      grade
	Deliveries []deliveryView // newest first
	Result     *site.Message  // of the form that led back to it
}

type deliveryView struct {
	webhook.Delivery
	Event string // Polish
	Grade grade
	Text  string // indented body
}

// Resendable reports whether the event can be sent again.
func (d deliveryView) Resendable() bool {
	return d.State != webhook.Pending && d.Type != webhook.EventTest
}

type secretView struct{ URL, Secret, Back string }

func (h *Handlers) developer(c echo.Context, v visitor) error {
	return h.showDeveloper(c, v, http.StatusOK, developerView{})
}

func (h *Handlers) showDeveloper(c echo.Context, v visitor, status int, view developerView) error {
	message, place := h.takeMessage(c, v)
	if id := v.User.CompanyID; id != nil {
		view.Company = true
		view.MayEdit = v.canEdit(*id)
		view.Action = webhooksPath
		var hooks []webhook.Webhook
		if view.MayEdit { // the addresses often contain a secret
			var err error
			if hooks, err = h.Webhooks.List(c.Request().Context(), id); err != nil {
				return err
			}
		}
		for _, hook := range hooks {
			address, err := h.webhookView(c.Request().Context(), hook)
			if err != nil {
				return err
			}
			if address.ID == place {
				address.Result, message = message, nil
			}
			view.Addresses = append(view.Addresses, address)
		}
	}
	return h.write(c, v, page{
		name: "developer", title: "Dla programistów", status: status, taken: true, message: message, data: view,
	})
}

func (h *Handlers) webhookView(ctx context.Context, hook webhook.Webhook) (webhookView, error) {
	shown := webhookView{
		URL: hook.URL, ID: webhookAnchor(hook), Action: webhooksPath + "/" + strconv.FormatInt(hook.ID, 10),
		State: grade{"Włączony", site.Good},
	}
	if hook.Disabled != "" {
		shown.State = grade{disabledTexts[hook.Disabled], site.Bad}
	}
	deliveries, err := h.Webhooks.Deliveries(ctx, hook.ID, deliveriesShown)
	for _, d := range deliveries {
		body, err := d.Body()
		if err != nil {
			return shown, err
		}
		var text bytes.Buffer
		_ = json.Indent(&text, body, "", "  ") // it is JSON
		shown.Deliveries = append(
			shown.Deliveries, deliveryView{Delivery: d, Event: eventTexts[d.Type], Grade: gradeOfDelivery(d),
				Text: text.String()},
		)
	}
	return shown, err
}

var disabledTexts = map[webhook.DisabledReason]string{
	webhook.Gone:    "Wyłączony: odbiorca nie chce więcej powiadomień",
	webhook.Failing: "Wyłączony: odbiorca od dawna nie odpowiada",
}

var eventTexts = map[string]string{
	connection.EventBroken:    "Połączenie wymaga odnowienia",
	connection.EventRecovered: "Połączenie znów działa",
	audit.EventCompleted:      "Audyt zakończony",
	webhook.EventTest:         "Test",
}

var resultTexts = map[webhook.Result]string{
	webhook.Refused:      "odbiorca odpowiedział błędem",
	webhook.ReceiverGone: "odbiorca nie chce więcej powiadomień",
	webhook.Unresolved:   "nie ma serwera o tej nazwie (DNS)",
	webhook.NoConnection: "serwer odrzucił połączenie",
	webhook.TimedOut:     "serwer nie odpowiedział na czas",
	webhook.TLSFailed:    "certyfikat lub szyfrowanie (TLS) jest nieprawidłowe",
	webhook.Unreachable:  "połączenie zostało przerwane",
	webhook.Forbidden:    "adres jest wewnętrzny",
	webhook.NoSecret:     "klucza nie można odczytać, utwórz nowy",
}

// gradeOfDelivery is, for example, "Czeka: odbiorca odpowiedział błędem (503)".
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

// addWebhook answers with the secret, which no other page shows.
func (h *Handlers) addWebhook(c echo.Context, v visitor, companyID int64) error {
	address := strings.TrimSpace(c.Request().PostForm.Get("adres"))
	added, err := h.Webhooks.Add(c.Request().Context(), v.By(), &companyID, address)
	switch {
	case fault.Is(err, webhook.CodeInvalidWebhook), fault.Is(err, webhook.CodeTooManyWebhooks):
		return h.showDeveloper(c, v, http.StatusUnprocessableEntity,
			developerView{Input: address, Problem: refusalTexts[fault.From(err).Code]})
	case err != nil:
		return err
	}
	return h.showSecret(c, v, added)
}

func (h *Handlers) showSecret(c echo.Context, v visitor, hook webhook.Webhook) error {
	return h.show(c, v, "secret", "Klucz powiadomień", secretView{hook.URL, hook.Secret, webhookPath(hook)})
}

func webhookAnchor(hook webhook.Webhook) string { return "adres-" + strconv.FormatInt(hook.ID, 10) }

func webhookPath(hook webhook.Webhook) string { return developerPath + "#" + webhookAnchor(hook) }

func (h *Handlers) onWebhook(change func(echo.Context, visitor, webhook.Webhook) error) echo.HandlerFunc {
	return h.asEditor(developerPath, func(c echo.Context, v visitor, companyID int64) error {
		id, ok := httpapi.PathID(c)
		if !ok {
			return webhook.CodeNoWebhook.Fault()
		}
		hook, err := h.Webhooks.Owned(c.Request().Context(), companyID, id)
		if err != nil {
			return err
		}
		return change(c, v, hook)
	})
}

func (h *Handlers) testWebhook(c echo.Context, v visitor, hook webhook.Webhook) error {
	d, err := h.Webhooks.Test(c.Request().Context(), v.By(), hook.ID)
	outcome := "webhook_taken"
	if d.State != webhook.Delivered {
		outcome = "webhook_not_taken"
	}
	return h.finishAt(c, webhookPath(hook), outcome, err)
}

func (h *Handlers) resendWebhook(c echo.Context, v visitor, hook webhook.Webhook) error {
	event := cmp.Or(c.Request().PostForm.Get("zdarzenie"), "-")
	n, err := h.Webhooks.Replay(c.Request().Context(), v.By(), hook.ID, webhook.Selection{EventID: event})
	outcome := "webhook_resent"
	if n == 0 {
		outcome = "webhook_waiting"
	}
	return h.finishAt(c, webhookPath(hook), outcome, err)
}

func (h *Handlers) rotateWebhook(c echo.Context, v visitor, hook webhook.Webhook) error {
	rotated, err := h.Webhooks.Rotate(c.Request().Context(), v.By(), hook.ID)
	if err != nil {
		return err
	}
	return h.showSecret(c, v, rotated)
}

func (h *Handlers) removeWebhook(c echo.Context, v visitor, hook webhook.Webhook) error {
	return h.finishAt(c, developerPath, "webhook_removed",
		h.Webhooks.Remove(c.Request().Context(), v.By(), hook.ID))
}
