package httpapi_test

import (
	"fmt"
	"testing"

	"backend.example/services/directory/internal/account"
	"backend.example/services/directory/internal/trail"
)

// object is a JSON object.
type object = map[string]any

// TestBodiesOfCompanies are whole: each field, lists without an entry, and the next page.
func TestBodiesOfCompanies(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		_, b := w.admin()
		const path = "/api/admin/companies"
		b.get(path + "?search=nic+takiego").wantBody(object{"success": true, "companies": []any{}, "next": nil})
		id := float64(w.Company.ID)
		b.get(path + "?search=firma+pie").wantBody(object{
			"success": true, "companies": []any{object{"id": id, "name": w.Company.Name, "slug": "piekarnia", "status": "active"}}, "next": nil,
		})
		added := b.post(path, `{"slug":"bar","name":"Bar","services":["Obiady"],"place_id":"p"}`).want(200)
		company := object{
			"id": added.at("company", "id"), "name": "Bar", "slug": "bar", "status": "active", "address": "", "phone": "", "website": "", "hours": "", "description": "",
			"categories": []any{}, "services": []any{"Obiady"}, "logo_url": "", "cover_photo_url": "", "place_id": "p",
			"created_at": added.at("company", "created_at"), "updated_at": added.at("company", "updated_at"),
		}
		added.wantBody(object{"success": true, "company": company})
		one := fmt.Sprint(path, "/", company["id"])
		b.get(one).wantBody(object{"success": true, "company": company})
		edited := b.post(one, `{"categories":["Bar"],"hours":"8-16"}`).want(200)
		company["categories"], company["hours"], company["updated_at"] = []any{"Bar"}, "8-16", edited.at("company", "updated_at")
		edited.wantBody(object{"success": true, "company": company})
		for _, id := range []string{"0", "-1", "x", "999", "99999999999999999999"} {
			b.get(path+"/"+id).wantErrorOnly(404, textUnknown)
			b.post(path+"/"+id, `{"name":"x"}`).wantErrorOnly(404, textUnknown)
		}
		for i := range 26 {
			w.AddCompany(fmt.Sprintf("x-%02d", i))
		}
		next := b.get(path+"?search=firma+x").wantCount(25, "companies").wantAt("x-24", "companies", "24", "slug").at("next")
		b.get(fmt.Sprint(path, "?search=firma+x&after=", next)).wantCount(1, "companies").wantAt("x-25", "companies", "0", "slug").wantAt(nil, "next")
	})
}

// TestBodiesOfUsers are whole. A link is in an answer only if it was not sent by e-mail.
func TestBodiesOfUsers(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		ala, b := w.admin()
		const path = "/api/admin/users"
		b.get(path + "?search=nikt").wantBody(object{"success": true, "users": []any{}, "next": nil})
		added := b.post(path, `{"email":" Jan@poczta.example ","name":" Jan ","role":"OFFICE_MANAGER","company_id":0}`).want(200)
		user := object{
			"id": added.at("user", "id"), "company_id": nil, "email": "jan@poczta.example", "name": "Jan", "role": "OFFICE_MANAGER", "disabled_at": nil,
			"created_at": added.at("user", "created_at"), "updated_at": added.at("user", "updated_at"),
		}
		added.wantBody(object{"success": true, "user": user, "link": object{"url": added.at("link", "url"), "expires_at": added.at("link", "expires_at")}})
		one := fmt.Sprint(path, "/", user["id"])
		b.get(one).wantBody(object{"success": true, "user": user})
		b.get(path + "?search=jan").wantBody(object{"success": true, "users": []any{user}, "next": nil})
		link := b.post(one+"/reset-link", "").want(200)
		link.wantBody(object{"success": true, "link": object{"url": link.at("link", "url"), "expires_at": link.at("link", "expires_at")}})
		edited := b.post(one, fmt.Sprintf(`{"name":"Jan K.","role":"MEMBER","company_id":"%d","disabled":true}`, w.Company.ID)).want(200)
		for field, value := range (object{"name": "Jan K.", "role": "MEMBER", "company_id": float64(w.Company.ID)}) {
			user[field] = value
		}
		for _, field := range []string{"disabled_at", "updated_at"} {
			user[field] = edited.at("user", field)
		}
		if user["disabled_at"] == nil {
			t.Error("the user is not disabled")
		}
		edited.wantBody(object{"success": true, "user": user})
		b.post(one, `{"company_id":"1a"}`).wantErrorOnly(400, textInvalid("company_id"))
		b.get(one + "/sessions").wantBody(object{"success": true, "sessions": []any{}})
		b.post(one+"/sessions/end", `{}`).wantBody(object{"success": true, "ended": 0.0})
		w.loggedInAs(ala)
		sessions := b.get(fmt.Sprint(path, "/", ala.ID, "/sessions")).want(200).wantCount(2, "sessions").wantCount(4, "sessions", "0")
		sessions.wantAt(false, "sessions", "0", "current").wantAt(false, "sessions", "1", "current")
		b.post(one+"/delete", "").wantBody(object{"success": true, "message": "Użytkownik został usunięty."})
		for _, id := range []string{"0", "-1", "x", "999", "99999999999999999999"} {
			for _, end := range []string{"", "/delete", "/reset-link", "/sessions/end"} {
				b.post(path+"/"+id+end, `{}`).wantErrorOnly(404, account.CodeNoUser.Text)
			}
			b.get(path+"/"+id).wantErrorOnly(404, account.CodeNoUser.Text)
			b.get(path+"/"+id+"/sessions").wantErrorOnly(404, account.CodeNoUser.Text)
		}
		for body, text := range map[string]string{
			`{"email":"ola@poczta.example","role":"BOSS"}`: textInvalid("role"), `{"email":"ola@poczta.example","role":"MEMBER","company_id":-1}`: textInvalid("company_id"),
		} {
			b.post(path, body).wantErrorOnly(400, text)
		}
		w.withMail()
		b.post(path, `{"email":"ewa@poczta.example","role":"EMPLOYEE"}`).want(200).wantAt(nil, "link").wantAt("EMPLOYEE", "user", "role")
		b.post(fmt.Sprint(path, "/", w.Anna.ID, "/reset-link"), "").wantBody(object{"success": true, "link": nil})
	})
}

// TestAdministratorsAreInTheTrail with each change that they make, and with the request.
func TestAdministratorsAreInTheTrail(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		ala, b := w.admin()
		jan := w.AddUser("jan", account.Member, &w.Company)
		company, user := fmt.Sprint("/api/admin/companies/", w.Company.ID), fmt.Sprint("/api/admin/users/", jan.ID)
		for _, step := range []struct{ path, body, action, detail string }{
			{"/api/admin/companies", `{"slug":"bar","name":"Bar"}`, "company add", ""}, {company, `{"phone":"1"}`, "company edit", "phone"},
			{"/api/admin/users", `{"email":"ewa@poczta.example","role":"EMPLOYEE"}`, "user reset-link", ""}, {user, `{"role":"MANAGER"}`, "user set-role", "MEMBER → MANAGER"},
			{user + "/reset-link", "", "user reset-link", ""}, {user + "/sessions/end", `{}`, "session end", "0 ended"},
		} {
			a := b.post(step.path, step.body, "X-Request-Id", "of-"+step.action[:4]).want(200)
			lines, err := w.Store.Trail(t.Context(), trail.Search{Limit: 1})
			w.ok(err)
			e := lines[0]
			if e.UserID == nil || *e.UserID != ala.ID || e.Actor != "" || e.Action != step.action || e.Detail != step.detail || e.RequestID != a.Header().Get("X-Request-Id") {
				t.Errorf("%s: trail %+v", step.path, e)
			}
		}
	})
}

// TestBodiesOfAccounts are whole.
func TestBodiesOfAccounts(t *testing.T) {
	withService(t, func(t *testing.T, w *world) {
		password := w.setPassword(w.Anna)
		b := w.browser()
		me := object{
			"success":     true,
			"user":        object{"id": float64(w.Anna.ID), "email": "anna@poczta.example", "name": "anna", "role": "MANAGER"},
			"company":     object{"id": float64(w.Company.ID), "name": w.Company.Name, "slug": "piekarnia"},
			"permissions": object{"can_edit_company": true, "can_access_admin_panel": false, "can_moderate_forum": false},
		}
		b.login("anna@poczta.example", password).wantBody(me)
		b.get("/api/auth/me").wantBody(me)
		own := b.get("/api/auth/sessions").want(200)
		session := object{"id": own.at("sessions", "0", "id"), "created_at": own.at("sessions", "0", "created_at"), "last_seen_at": own.at("sessions", "0", "last_seen_at"), "current": true}
		own.wantBody(object{"success": true, "sessions": []any{session}})
		b.post("/api/auth/sessions/end", `{}`).wantBody(object{"success": true, "ended": 0.0})
		b.post("/api/auth/password", passwords(password, newPassword)).wantBody(object{"success": true, "message": "Hasło zostało zmienione. Inne sesje zostały zakończone."})
		b.post("/api/auth/logout", "").wantBody(object{"success": true, "message": "Wylogowanie powiodło się."})
		b.post("/api/auth/logout", "").want(200)
		for path, fields := range map[string][]string{
			"/api/auth/login": {"email", "password"}, "/api/auth/reset": {"email"}, "/api/auth/reset/confirm": {"token", "new_password"},
		} {
			if path == "/api/auth/reset" {
				w.withMail()
			}
			b.post(path, `{}`).wantErrorOnly(400, textMissing(fields[0]))
			b.post(path, "[]").wantErrorOnly(400, textNoJSON)
		}
		b.post("/api/auth/reset/confirm", `{"token":"x"}`).wantErrorOnly(400, textMissing("new_password"))
		b.post("/api/auth/reset", `{"email":"nikt@poczta.example"}`).wantBody(object{"success": true, "message": account.TextRequested})
		b = w.loggedInAs(w.Anna)
		b.post("/api/auth/password", `{}`).wantErrorOnly(400, textMissing("old_password"))
		b.post("/api/auth/password", `{"old_password":"x"}`).wantErrorOnly(400, textMissing("new_password"))
		b.post("/api/auth/sessions/end", "[]").wantErrorOnly(400, textNoJSON)
	})
}
