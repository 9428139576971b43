package bench

import (
	"cmp"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"backend.example/deploy/test/harness"
)

// With these variables this program is a plain handler: it listens on the address and
// responds like the server at the original address, with bodies from Redis if that is set.
const (
	handlerAddr     = "HANDLER_ADDR"
	handlerOriginal = "HANDLER_ORIGINAL"
	handlerRedis    = "HANDLER_REDIS"
)

func TestMain(m *testing.M) {
	if addr := os.Getenv(handlerAddr); addr != "" {
		server := &http.Server{
			Addr: addr, Handler: newPlainHandler(),
			ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 15 * time.Second, WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
		}
		log.Fatal(server.ListenAndServe())
	}
	os.Exit(m.Run())
}

// startPlainHandler runs a plain handler in front of original and returns its base address.
// With the address of a Redis it stores the bodies there.
func startPlainHandler(t *testing.T, cpu int, original, redis string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	addr := harness.FreeAddr(t)
	env := []string{handlerAddr + "=" + addr, handlerOriginal + "=" + original, handlerRedis + "=" + redis}
	start(t, cpu, t.TempDir(), env, self)
	harness.AwaitListener(t, addr)
	return "http://" + addr
}

// plainHandler is a minimal Go server: it writes stored bytes with their headers, with
// time-outs like the service's.
type plainHandler struct {
	original string
	redis    *redis.Client // nil if the bodies are in the process
	answers  sync.Map      // recorded, by address and encoding
}

// recorded is a response of the original.
type recorded struct {
	status int
	header http.Header
	body   []byte
}

func newPlainHandler() *plainHandler {
	r := &plainHandler{original: os.Getenv(handlerOriginal)}
	if addr := os.Getenv(handlerRedis); addr != "" {
		r.redis = redis.NewClient(&redis.Options{Addr: addr})
	}
	return r
}

func (r *plainHandler) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	key := request.RequestURI + " " + request.Header.Get("Accept-Encoding")
	stored, _ := r.answers.Load(key)
	a, ok := stored.(recorded)
	if !ok {
		var err error
		if a, err = r.fetchOriginal(request, key); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	body := a.body
	if r.redis != nil {
		var err error
		if body, err = r.redis.Get(request.Context(), key).Bytes(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	header := w.Header()
	for name, values := range a.header {
		header[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(body) // the client has gone
}

// fetchOriginal requests the response of the original and stores it for such requests.
func (r *plainHandler) fetchOriginal(like *http.Request, key string) (a recorded, err error) {
	ctx := like.Context()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.original+like.RequestURI, nil)
	if err != nil {
		return a, err
	}
	request.Header.Set("Accept-Encoding", cmp.Or(like.Header.Get("Accept-Encoding"), "identity"))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return a, err
	}
	defer response.Body.Close()
	a = recorded{status: response.StatusCode, header: response.Header}
	if a.body, err = io.ReadAll(response.Body); err != nil {
		return a, fmt.Errorf("%s: %w", key, err)
	}
	delete(a.header, "Date") // net/http writes it
	if r.redis != nil {
		if err := r.redis.Set(ctx, key, a.body, 0).Err(); err != nil {
			return a, err
		}
	}
	r.answers.Store(key, a)
	return a, nil
}
