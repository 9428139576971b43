package meta_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"backend.example/deploy/sandbox/fake"
	"backend.example/deploy/sandbox/fake/faketest"
)

// TestPagesAndFiguresStayTheSame compares pages, media and insights with what was served
// when the demo and the pictures of the pages were made.
func TestPagesAndFiguresStayTheSame(t *testing.T) {
	w := newApp(t)
	user := w.login("anna")
	token := w.page(user, bakery)
	var got strings.Builder
	for _, target := range []string{
		"me?fields=id,name",
		"me/accounts?fields=id,name,category,fan_count",
		bakery + "?fields=id,name,category,fan_count,followers_count,link,instagram_business_account",
		pageInsights + "page_media_view,page_total_media_view_unique,page_post_engagements,page_views_total,page_daily_follows_unique,page_daily_unfollows_unique" + w.days(3),
		photo + "?fields=id,username,name,biography,website,profile_picture_url,followers_count,follows_count,media_count",
		photo + "/media?limit=12&fields=id,caption,media_type,permalink,timestamp,like_count,comments_count",
		insights + "reach,follower_count" + w.days(3),
		insights + totals + ",reach&metric_type=total_value" + w.days(7),
		insights + "follows_and_unfollows,reach&metric_type=total_value&breakdown=follow_type" + w.days(7),
	} {
		body := strings.ReplaceAll(strings.TrimSpace(w.get(token, target).Body.String()), token, "TOKEN")
		if strings.HasPrefix(target, "me") {
			body = strings.TrimSpace(w.get(user, target).Body.String())
		}
		fmt.Fprintf(&got, "# %s\n%s\n", target, strings.ReplaceAll(body, "},{", "},\n{"))
	}
	w.now = time.Date(2026, 11, 23, 7, 59, 59, 0, time.UTC) // Sunday is not over
	fmt.Fprintf(&got, "# early on Monday\n%s", w.get(token, pageInsights+"page_media_view"+w.days(4)).Body)
	faketest.Kept(t, "figures.txt", got.String())
}

// TestLoginsAndErrorsStayTheSame compares whole answers, with their headers, of the dialog,
// the token endpoint and the Graph API with the kept ones, on which the directory's client
// relies.
func TestLoginsAndErrorsStayTheSame(t *testing.T) {
	w := newApp(t)
	got := faketest.Transcript{Fake: w.Fake, Random: regexp.MustCompile(`("fbtrace_id":"A|X-Fb-Trace-Id: )(?:[A-Z2-7]{22}|[A-Z2-7]{11})\b`)}
	keep := func(heading string, a answer) { got.Add(heading, a.ResponseRecorder) }
	for _, change := range [][]string{
		nil, {"scope", "email"}, {"client_id", "4712"}, {"redirect_uri", redirect + "/"}, {"response_type", "token"}, {"scope", "pages_show_list,publish_all"},
		{"config_id", "1"}, {"code_challenge", "abc"},
	} {
		keep(fmt.Sprint("dialog ", change), w.send("GET", dialog(change...), "", ""))
	}
	for _, form := range []string{"decision=deny", "decision=allow&account=anna&scope=all", "decision=allow&account=anna&scope=drive", "decision=allow&account=ewa", "decision=", "%"} {
		keep("dialog "+form, w.send("POST", dialog("scope", "pages_show_list,read_insights"), "", form))
	}
	keep("dialog without a state", w.send("POST", dialog("state", ""), "", "decision=allow&account=tomasz"))

	code := func() string { return w.code(dialog(), "anna") }
	used, late := code(), code()
	short := w.redeem(used)
	user := w.login("anna")
	page := w.page(user, bakery)
	for _, pairs := range [][]string{
		{"redirect_uri", redirect, "code", code()}, {"grant_type", "fb_exchange_token", "fb_exchange_token", short}, {"client_id", "4712"}, {"client_secret", "x"},
		{"grant_type", "refresh_token"}, {"code", used}, {"redirect_uri", redirect}, {"redirect_uri", redirect, "code", "AQx"}, {"redirect_uri", redirect, "code", used},
		{"redirect_uri", redirect + "x", "code", code()}, {"redirect_uri", redirect, "code", code(), "code_verifier", strings.Repeat("v", 43)},
		{"grant_type", "fb_exchange_token"}, {"grant_type", "fb_exchange_token", "fb_exchange_token", "EAAGx"}, {"grant_type", "fb_exchange_token", "fb_exchange_token", page},
		{"date_format", "U"},
	} {
		keep(fmt.Sprint("token ", pairs), w.trade(pairs...))
	}
	keep("token for a form that is too long", w.send("POST", version+"oauth/access_token", "", "client_id="+strings.Repeat("4", 64<<10)))
	w.now = w.now.Add(10*time.Minute + 1)
	keep("token for a late code", w.trade("redirect_uri", redirect, "code", late))

	const portfolio = "103300000020001"
	agency, lister := w.login("piotr"), w.login("zofia", "pages_show_list")
	for _, c := range [][2]string{
		{user, "me"}, {user, "me/accounts?limit=2&fields=name,tasks"}, {user, "me/accounts?limit=1&after=x"}, {user, "me/accounts?limit=0"}, {user, "me/accounts?fields=nothing"},
		{user, "me/businesses"}, {agency, "me/businesses"}, {user, bakery}, {page, bakery + "?fields=access_token,website,phone,about"}, {page, "me/accounts"},
		{page, photo + "/media?limit=1"}, {page, photo + "?fields=nothing"}, {page, "me/media"}, {user, "me/insights"}, {user, garage}, {user, piotr}, {lister, "me/businesses"},
		{user, piotr + "/accounts"}, {agency, portfolio + "/owned_pages?limit=3&fields=id"}, {agency, portfolio + "/client_pages?limit=3&fields=id"},
		{user, "me/permissions"}, {page, "me/permissions"}, {page, bakery + "/permissions"}, {user, piotr + "/permissions"}, {appToken, "me"}, {appToken, "me/permissions"}, {"EAAGx", "me"}, {user, "me?date_format=U"}, {user, "me/friends"},
		{user, "debug_token"}, {appToken, "debug_token"}, {appToken, "debug_token?input_token=" + user}, {appToken, "debug_token?input_token=" + short},
		{appToken, "debug_token?input_token=" + page}, {appToken, "debug_token?input_token=" + appToken}, {user, bakery + "/insights?period=day&metric=page_media_view"},
		{page, bakery + "/insights"}, {page, pageInsights + "page_media_view&since=1&until=1"}, {page, pageInsights + "page_media_view" + w.days(91)}, {page, pageInsights + "page_media_view&until=x"},
		{page, photo + "/insights?metric=reach"}, {page, insights + "likes"}, {page, insights + "likes&metric_type=total_value&breakdown=age"},
		{page, insights + "reach&breakdown=follow_type"}, {page, insights + "reach&metric_type=total_value&breakdown=age"}, {page, photo + "/insights"},
	} {
		keep(c[1]+" with "+c[0], w.get(c[0], c[1]))
	}
	for _, target := range []string{
		"GET " + version + "me", "GET " + version + bakery, "GET " + version + "me?access_token=other", "GET " + version + "me?access_token=" + user, "GET " + version + "me?limit=%", "GET /v20.0/me",
		"POST " + version + bakery, "POST /", "DELETE /v25.0", "HEAD /v25.0/me/friends",
	} {
		method, path, _ := strings.Cut(target, " ")
		token := ""
		if strings.HasSuffix(target, "other") {
			token = user
		}
		keep(target, w.send(method, path, token, ""))
	}
	for _, c := range [][2]int{
		{1}, {2}, {3}, {4}, {10}, {17}, {32}, {102}, {190}, {190, 459}, {190, 460}, {190, 464}, {190, 467}, {190, 492}, {190, 7}, {200}, {341}, {368}, {613}, {80001}, {80002}, {4242, 7},
	} {
		w.SetFault(fake.Fault{Kind: "graph_error", Code: c[0], Subcode: c[1], Times: 1})
		keep(fmt.Sprint("ordered error ", c), w.get(user, "me"))
	}
	keep("withdrawal", w.call(http.MethodDelete, user, "me/permissions"))
	for _, token := range []string{user, page} {
		keep("after it", w.get(token, "me"))
	}
	w.now = w.now.AddDate(0, 0, 60)
	keep("after sixty days", w.get(lister, "me"))
	got.Kept(t)
}
