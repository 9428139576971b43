package cache

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"backend.example/services/hardware/internal/prices"
	"backend.example/services/hardware/internal/redistest"
)

func TestReplicasAddUpWhatWasAskedFor(t *testing.T) {
	client := redistest.Client(t)
	first, second := NewRedisAsked(client, time.Hour), NewRedisAsked(client, time.Hour)
	noon := noon.Truncate(time.Millisecond) // as it is kept
	merge := func(s *RedisAsked, added ...prices.Asked) []prices.Asked {
		t.Helper()
		all, err := s.Merge(t.Context(), "gpu", added, noon.Add(-time.Hour))
		if err != nil {
			t.Fatal(err)
		}
		for i := range all {
			all[i].At = all[i].At.UTC()
		}
		return all
	}
	if all := merge(first, prices.Asked{Key: "1", Name: "Old name", Times: 2, At: noon}); len(all) != 1 {
		t.Errorf("%+v", all)
	}
	want := []prices.Asked{{Key: "2", Name: "Other", Times: 1, At: noon.Add(time.Second)}, {Key: "1", Name: "Name", Times: 5, At: noon}}
	if all := merge(second, prices.Asked{Key: "1", Name: "Name", Times: 3, At: noon.Add(-time.Minute)}, want[0]); !reflect.DeepEqual(all, want) {
		t.Errorf("%+v, want %+v", all, want)
	}
	if all := merge(first); !reflect.DeepEqual(all, want) {
		t.Errorf("read by the other: %+v", all)
	}
	if all, err := first.Merge(t.Context(), "cpu", nil, noon); len(all) > 0 || err != nil {
		t.Errorf("of another category: %+v, %v", all, err)
	}
	if all, err := second.Merge(t.Context(), "gpu", nil, noon); err != nil || len(all) != 1 || all[0].Key != "2" {
		t.Errorf("not for too long: %+v, %v", all, err)
	}
	var many []prices.Asked
	for n := range prices.MaxRemembered + 50 {
		many = append(many, prices.Asked{Key: fmt.Sprint("many ", n), Name: "x", Times: 1, At: noon.Add(time.Duration(n) * time.Second)})
	}
	merge(first, many...)
	if all := merge(second); len(all) != prices.MaxRemembered || all[len(all)-1].Key != "many 50" {
		t.Errorf("%d are kept, the oldest is %+v", len(all), all[len(all)-1])
	}
	client.HSet(t.Context(), "hw:{asked:gpu}:times", "many 50", "often")
	if all := merge(second); len(all) != prices.MaxRemembered-1 || all[len(all)-1].Key != "many 51" {
		t.Errorf("%d are read beside one that is not ours", len(all))
	}
	for _, key := range client.Keys(t.Context(), "hw:{asked:*").Val() {
		if ttl := client.TTL(t.Context(), key).Val(); ttl <= 0 || ttl > time.Hour {
			t.Errorf("%s is kept for %v", key, ttl)
		}
	}
}

func TestWhatWasAskedForCannotBeShared(t *testing.T) {
	server := miniredis.RunT(t)
	client := redis.NewClient(&redis.Options{Addr: server.Addr(), MaxRetries: -1, DialerRetries: 1})
	t.Cleanup(func() { _ = client.Close() })
	server.Close()
	if all, err := NewRedisAsked(client, time.Hour).Merge(t.Context(), "gpu", nil, noon); err == nil {
		t.Errorf("%+v", all)
	}
}
