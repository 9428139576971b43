package meta_test

import (
	"fmt"
	"strings"
	"testing"

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
		insights + "follows_and_unfollows&metric_type=total_value&breakdown=follow_type" + w.days(7),
	} {
		body := strings.ReplaceAll(strings.TrimSpace(w.get(token, target).Body.String()), token, "TOKEN")
		if strings.HasPrefix(target, "me") {
			body = strings.TrimSpace(w.get(user, target).Body.String())
		}
		fmt.Fprintf(&got, "# %s\n%s\n", target, strings.ReplaceAll(body, "},{", "},\n{"))
	}
	faketest.Kept(t, "figures.txt", got.String())
}
