package wrk

import (
	"testing"
	"time"
)

const report = `Running 2s test @ http://127.0.0.1:1/
  1 threads and 16 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     1.07ms  530.46us   9.01ms   87.52%
    Req/Sec    15.27k     1.01k   17.56k    70.00%
  Latency Distribution
     50%  986.00us
     75%    1.21ms
     90%    1.58ms
     99%    3.21ms
  30398 requests in 2.00s, 43.11MB read
  Socket errors: connect 0, read 3, write 0, timeout 1
  Non-2xx or 3xx responses: 12
Requests/sec:  15190.21
Transfer/sec:     21.54MB
`

func TestParse(t *testing.T) {
	got, err := parse([]byte(report))
	want := Report{PerSecond: 15190.21, P50: 986 * time.Microsecond, P99: 3210 * time.Microsecond, Wrong: 16}
	if err != nil || got != want {
		t.Errorf("%+v, %v; want %+v", got, err, want)
	}
}

func TestParseRefusesOtherOutput(t *testing.T) {
	for _, text := range []string{"", "unable to connect to 127.0.0.1:1 Connection refused\n", report[:400]} {
		if r, err := parse([]byte(text)); err == nil {
			t.Errorf("%q is parsed as %+v", text, r)
		}
	}
}
