package httpapi_test

import (
	"fmt"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/company"
	"backend.example/services/directory/internal/social"
)

const (
	discoverPages = "/api/oauth/provider_social/discover-pages"
	selectPage    = "/api/oauth/provider_social/select-page"
	form          = "application/x-www-form-urlencoded"
)

// of is a body that names a company.
func of(c company.Company) string { return fmt.Sprintf(`{"company_id":%d}`, c.ID) }

// pageOf is a body that names a company and a page, as it stands in JSON.
func pageOf(c company.Company, page string) string {
	return fmt.Sprintf(`{"company_id":%d,"page_id":%s}`, c.ID, page)
}

func TestPages(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		before := w.connect(pagesPair)
		b := w.loggedInAs(w.Anna)
		requirePages(t, b.post(discoverPages, of(w.Company)))
		a := b.post(selectPage, pageOf(w.Company, `"104118"`)).want(200).wantAt("Strona została wybrana.", "message")
		a.wantAt("104118", "page", "id").wantAt(1250.0, "sync", "followers_count").wantAt("2026-11-21T12:00:00Z", "sync", "synced_at")
		page := w.Social.Pages[0]
		c := w.connection(pagesPair)
		if c.UserAccessToken != before.AccessToken || c.AccessToken != page.AccessToken || c.AccountID != page.ID || c.AccountName != page.Name {
			t.Errorf("stored %+v", c)
		}
		requirePages(t, b.post(discoverPages, of(w.Company))) // with the user's token, which was kept
		b.post(selectPage, pageOf(w.Company, "104119")).want(200).wantAt("Cukiernia", "page", "name")
		if c = w.connection(pagesPair); c.UserAccessToken != before.AccessToken || c.AccountID != "104119" {
			t.Errorf("stored %+v", c)
		}
		config, err := social.ReadConfig(t.Context(), w.Store.DB, w.Company.ID)
		w.ok(err)
		if config.PageID != "104119" || config.PageName != "Cukiernia" || config.AccessToken != w.Social.Pages[1].AccessToken ||
			!config.IsActive || !config.DebugMode || config.UpdatedBy != w.Anna.ID {
			t.Errorf("configuration %+v", config)
		}
	})
}

func requirePages(t *testing.T, a answer) {
	t.Helper()
	pages, _ := a.want(200).at("pages").([]any)
	if len(pages) != 3 {
		t.Fatalf("pages %s", a.Body)
	}
	first, _ := pages[0].(map[string]any)
	second, _ := pages[1].(map[string]any)
	if first["id"] != "104118" || first["fan_count"] != 1204.0 || second["fan_count"] != 0.0 {
		t.Errorf("pages %s", a.Body)
	}
	third, _ := pages[2].(map[string]any)
	if first["selectable"] != true || first["reason"] != nil || third["selectable"] != false || third["reason"] != social.CodePageWithoutCredential.Text {
		t.Errorf("pages %s", a.Body)
	}
	a.wantAt(true, "complete")
}

// TestDiscoverPagesByForm: the company may come as JSON or as a form field.
func TestDiscoverPagesByForm(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(pagesPair)
		b, id := w.loggedInAs(w.Anna), fmt.Sprint(w.Company.ID)
		multipart := "--x\r\nContent-Disposition: form-data; name=\"company_id\"\r\n\r\n" + id + "\r\n--x--\r\n"
		for content, body := range map[string]string{
			form: "company_id=" + id + "&company_id=999", form + "; charset=utf-8": "x=%20&company_id=" + id, "multipart/form-data; boundary=x": multipart,
			"application/json; charset=utf-8": of(w.Company), "Application/JSON": `{"company_id":"` + id + `"}`,
		} {
			requirePages(t, b.post(discoverPages, body, "Content-Type", content))
		}
		for body, text := range map[string]string{
			"x=1": textMissing("company_id"), "company_id=": textMissing("company_id"), "company_id=x": textInvalid("company_id"),
			"company_id=1.0": textInvalid("company_id"), "company_id=null": textInvalid("company_id"),
			"company_id=%zz": "Nie udało się odczytać treści żądania.", "COMPANY_ID=1": textMissing("company_id"),
		} {
			b.post(discoverPages+"?company_id="+id, body, "Content-Type", form).wantErrorOnly(400, text)
		}
		b.post(discoverPages, "").wantErrorOnly(400, textMissing("company_id"))
		b.post(discoverPages, "--x", "Content-Type", "multipart/form-data; boundary=x").want(400)
		b.post(discoverPages, "--x", "Content-Type", "multipart/form-data").want(400)
		b.post(discoverPages, of(w.Company), "Content-Type", "text/plain").wantErrorOnly(400, textNoJSON)
	})
}

// TestSelectPageRefused keeps the order: fields, connection, page, its credential.
func TestSelectPageRefused(t *testing.T) {
	const textNoPage = "Nie znaleziono wybranej strony wśród zarządzanych stron."
	textNoCredential := social.CodePageWithoutCredential.Text
	withService(t, func(t *testing.T, w *world) {
		b := w.loggedInAs(w.Anna)
		for body, text := range map[string]string{
			`{"page_id":""}`: textMissing("company_id"), of(w.Company): textMissing("page_id"),
			pageOf(w.Company, `""`): textMissing("page_id"), pageOf(w.Company, "null"): textMissing("page_id"),
			pageOf(w.Company, "true"): textInvalid("page_id"), pageOf(w.Company, "1.5"): textInvalid("page_id"),
			pageOf(w.Company, "[1]"): textInvalid("page_id"), pageOf(w.Company, "1e400"): textInvalid("page_id"),
		} {
			b.post(selectPage, body).wantErrorOnly(400, text)
		}
		b.post(discoverPages, of(w.Company)).wantErrorOnly(404, textNoConnection)
		b.post(selectPage, pageOf(w.Company, `"104120"`)).wantErrorOnly(404, textNoConnection)
		w.connect(pagesPair)
		b.post(selectPage, pageOf(w.Company, `"999"`)).wantErrorOnly(404, textNoPage)
		b.post(selectPage, pageOf(w.Company, `"1.5"`)).wantErrorOnly(404, textNoPage) // a text may be any
		b.post(selectPage, pageOf(w.Company, `"104118 "`)).wantErrorOnly(404, textNoPage)
		b.post(selectPage, pageOf(w.Company, `"104120"`)).wantErrorOnly(400, textNoCredential)
		b.post("/api/oauth/disconnect/"+pagesPair.String(), "").want(200)
		b.post(discoverPages, of(w.Company)).wantErrorOnly(404, textNoConnection)
		b.post(selectPage, pageOf(w.Company, `"104118"`)).wantErrorOnly(404, textNoConnection)
	})
}

// TestSelectPageWithoutSync: the page is chosen all the same.
func TestSelectPageWithoutSync(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(pagesPair)
		w.Social.Fail["ReadPage"], w.Social.Fail["ReadPhotos"] = errSecret, errSecret
		a := w.loggedInAs(w.Anna).post(selectPage, pageOf(w.Company, `"104118"`)).want(200).wantAt(nil, "sync")
		requireNoLeak(t, a)
		if c := w.connection(pagesPair); c.AccountID != "104118" {
			t.Errorf("stored %+v", c)
		}
	})
}

// TestCompanyAccess: the contract asks for a login only; strict, for the right to
// edit the company.
func TestCompanyAccess(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		w.connect(pagesPair)
		other := w.AddCompany("warsztat")
		guest, stranger, admin := w.AddUser("gosc", account.Unaffiliated, &w.Company), w.AddUser("ola", account.OfficeManager, &other),
			w.AddUser("ala", account.Admin, nil)
		for _, strict := range []bool{false, true} {
			w.Pages.Strict = strict
			for _, u := range []account.User{w.Anna, guest, stranger, admin} {
				b, status := w.loggedInAs(u), 200
				if strict && (u.ID == guest.ID || u.ID == stranger.ID) {
					status = 403
				}
				for path, body := range map[string]string{discoverPages: of(w.Company), selectPage: pageOf(w.Company, `"104118"`)} {
					if a := b.post(path, body).want(status); status == 403 {
						a.wantErrorOnly(403, textNotAllowed)
					}
				}
			}
		}
		w.loggedInAs(stranger).post(discoverPages, `{"company_id":999}`).wantErrorOnly(403, textNotAllowed)
		w.loggedInAs(admin).post(discoverPages, `{"company_id":999}`).wantErrorOnly(404, textNoConnection)
	})
}
