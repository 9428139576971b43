package cache

import (
	"context"
	_ "embed" // the script
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
)

//go:embed replicas.lua
var replicasSource string

var replicasScript = redis.NewScript(replicasSource)

// replicaGone is how long a replica that is not noted again counts.
const replicaGone = time.Minute

// CountReplicas notes that the replica of this name runs, and returns how many do.
func CountReplicas(ctx context.Context, client redis.UniversalClient, name string) (int, error) {
	n, err := replicasScript.Run(ctx, client, []string{"hw:replicas"}, name, int(replicaGone.Seconds())).Int()
	if err != nil {
		return 0, fmt.Errorf("count replicas: %w", err)
	}
	return n, nil
}
