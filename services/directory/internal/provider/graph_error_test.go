package provider_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"backend.example/services/directory/internal/directory"
)

// quoting is a message that gives away what it should not.
const quoting = "Malformed access token " + metaPageToken + " of secret " + metaClientSecret

func TestGraphErrorCodes(t *testing.T) {
	tests := []struct {
		code, subcode int
		message       string
		want          string
	}{
		{1, 0, quoting, directory.CodeTemporary},
		{2, 0, quoting, directory.CodeTemporary},
		{3, 0, quoting, directory.CodePermission},
		{4, 0, quoting, directory.CodeThrottled},
		{10, 0, quoting, directory.CodePermission},
		{10, 0, "(#10) Not enough viewers for the media to show insights", directory.CodeGone},
		{17, 0, quoting, directory.CodeThrottled},
		{32, 0, quoting, directory.CodeThrottled},
		{100, 0, quoting, directory.CodeChanged},
		{100, 33, quoting, directory.CodeGone},
		{100, 0, "Invalid appsecret_proof provided in the API argument", directory.CodeOperator},
		{101, 0, quoting, directory.CodeOperator},
		{102, 0, quoting, directory.CodeReconnect},
		{104, 0, quoting, directory.CodeChanged},
		{190, 0, quoting, directory.CodeReconnect},
		{199, 0, quoting, directory.CodeChanged},
		{200, 0, quoting, directory.CodePermission},
		{299, 0, quoting, directory.CodePermission},
		{300, 0, quoting, directory.CodeChanged},
		{341, 0, quoting, directory.CodeThrottled},
		{368, 0, quoting, directory.CodeThrottled},
		{613, 0, quoting, directory.CodeThrottled},
		{2500, 0, quoting, directory.CodeChanged},
		{80001, 0, quoting, directory.CodeThrottled},
		{80002, 0, quoting, directory.CodeThrottled},
	}
	for _, test := range tests {
		quickly(t, fmt.Sprintf("%d-%d", test.code, test.subcode), func(t *testing.T) {
			server := newMetaServer(t)
			reply := metaError(test.code, test.subcode, test.message)
			for _, status := range []int{400, 401, 403, 404, 500} { // the code decides
				if test.want == directory.CodeChanged && status == 500 {
					continue
				}
				server.replies["GET /"+metaPageID] = metaReply{status, reply.body}
				_, err := server.social().ReadPage(t.Context(), metaPageToken, metaPageID)
				wantFault(t, err, test.want)
			}
		})
	}
}

func TestGraphErrorForms(t *testing.T) {
	tests := map[string]struct {
		reply metaReply
		want  string
	}{
		"transient":                {metaReply{400, `{"error":{"code":9999,"is_transient":true}}`}, directory.CodeTemporary},
		"transient limit":          {metaReply{400, `{"error":{"code":4,"is_transient":true}}`}, directory.CodeThrottled},
		"server fault, no code":    {metaReply{500, `{}`}, directory.CodeTemporary},
		"too many, no code":        {metaReply{429, ``}, directory.CodeThrottled},
		"page of a gateway":        {metaReply{503, `<html>` + metaPageToken}, directory.CodeTemporary},
		"refused, no code":         {metaReply{403, `<html>` + metaPageToken}, directory.CodeChanged},
		"error as a text":          {metaReply{400, `{"error":"` + metaPageToken + `"}`}, directory.CodeChanged},
		"token in place of a type": {metaReply{400, `{"error":{"code":190,"type":"` + metaPageToken + `"}}`}, directory.CodeReconnect},
		"odd beside the code":      {metaReply{400, `{"error":{"message":7,"code":190}}`}, directory.CodeReconnect},
		"redirect":                 {metaReply{302, ``}, directory.CodeChanged},
		"success of another form":  {metaReply{200, `[` + `"` + metaPageToken + `"]`}, directory.CodeChanged},
	}
	for name, test := range tests {
		quickly(t, name, func(t *testing.T) {
			server := newMetaServer(t)
			server.replies["GET /"+metaPageID] = test.reply
			_, err := server.social().ReadPage(t.Context(), metaPageToken, metaPageID)
			wantFault(t, err, test.want)
			if len(server.calls) != tries(test.want) {
				t.Errorf("%d calls, want %d", len(server.calls), tries(test.want))
			}
		})
	}
}

func TestGraphErrorTellsCodesToTheLog(t *testing.T) {
	server := newMetaServer(t)
	server.replies["GET /"+metaPageID] = metaError(190, 460, quoting)
	_, err := server.social().ReadPage(t.Context(), metaPageToken, metaPageID)
	wantFault(t, err, directory.CodeReconnect)
	for _, want := range []string{"GET ", "/v25.0/" + metaPageID, "status 400", "code 190", "subcode 460"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("err = %v, want it to hold %q", err, want)
		}
	}
}

func TestGraphDeadReasons(t *testing.T) {
	reasons := map[string][]int{}
	for subcode, want := range map[int]string{
		458: "usunięty", 459: "potwierdzenia", 464: "potwierdzenia", 460: "Hasło", 463: "wygasł", 467: "unieważniony", 492: "nie zarządza", 0: "unieważniony",
	} {
		server := newMetaServer(t)
		server.replies["GET /"+metaPageID] = metaError(190, subcode, "")
		_, err := server.social().ReadPage(t.Context(), metaPageToken, metaPageID)
		f := wantFault(t, err, directory.CodeReconnect)
		if !strings.Contains(f.Message, want) {
			t.Errorf("reason of %d = %q, want one with %q", subcode, f.Message, want)
		}
		reasons[f.Message] = append(reasons[f.Message], subcode)
	}
	if len(reasons) != 6 {
		t.Errorf("reasons = %v, want six different ones", reasons)
	}
}

func TestGraphUsage(t *testing.T) {
	const regain = `{"4711":[{"type":"pages","call_count":100,"estimated_time_to_regain_access":12},{"type":"instagram","estimated_time_to_regain_access":7}]}`
	tests := map[string]struct {
		header, value string
		asked         bool // whether insights are asked for
		wait          time.Duration
	}{
		"none":             {"X-Other", "", true, 0},
		"app, below":       {"X-App-Usage", `{"call_count":94.9,"total_time":25,"total_cputime":25}`, true, 0},
		"app, calls":       {"X-App-Usage", `{"call_count":95,"total_time":25,"total_cputime":25}`, false, 0},
		"app, time":        {"X-App-Usage", `{"call_count":28,"total_time":97,"total_cputime":25}`, false, 0},
		"app, processor":   {"X-App-Usage", `{"call_count":28,"total_time":25,"total_cputime":100}`, false, 0},
		"page":             {"X-Page-Usage", `{"call_count":96}`, false, 0},
		"business":         {"X-Business-Use-Case-Usage", `{"1":[{"type":"ads","call_count":1}],"2":[{"call_count":1},{"total_time":99}]}`, false, 0},
		"business, waits":  {"X-Business-Use-Case-Usage", regain, false, 12 * time.Minute},
		"business, a year": {"X-Business-Use-Case-Usage", `{"1":[{"call_count":100,"estimated_time_to_regain_access":1e300}]}`, false, 24 * time.Hour},
		"unreadable":       {"X-App-Usage", `{"call_count":"many"`, true, 0},
		"business, broken": {"X-Business-Use-Case-Usage", `[1]`, true, 0},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			server := newPageServer(t)
			server.header = http.Header{test.header: {test.value}}
			data, err := server.social().ReadPage(t.Context(), metaPageToken, metaPageID)
			if err != nil || data.FollowersCount != 134 {
				t.Fatalf("data = %+v, %v", data, err)
			}
			if asked := len(server.calls) > 1; asked != test.asked || asked != (len(data.Metrics) > 0) {
				t.Errorf("insights asked: %t, want %t", asked, test.asked)
			}
			server.replies["GET /"+metaPageID] = metaError(80001, 0, "limit")
			_, err = server.social().ReadPage(t.Context(), metaPageToken, metaPageID)
			if f := wantFault(t, err, directory.CodeThrottled); f.RetryAfter != test.wait {
				t.Errorf("wait = %s, want %s", f.RetryAfter, test.wait)
			}
		})
	}
}
