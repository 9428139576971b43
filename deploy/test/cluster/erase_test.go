package cluster

import (
	"reflect"
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
)

// testEraseReplay runs the commands of the README for a database that was restored. The
// job that they make has to be the service, but for what it does.
func (c *controlPlane) testEraseReplay(t *testing.T) {
	c.production(t)
	service := c.pods(t, backend, "directory")[0].Spec.Containers[0]
	c.readme(t, "kubectl -n backend scale deployment/directory --replicas=0")
	c.settled(t)
	jobs := read[batchv1.JobList](t, c, "/apis/batch/v1/namespaces/"+backend+"/jobs").Items
	if len(jobs) != 1 {
		t.Fatalf("%d jobs", len(jobs))
	}
	replay := jobs[0].Spec.Template.Spec.Containers[0]
	if !slices.Equal(replay.Args, []string{"erase", "replay"}) || replay.Image != service.Image ||
		!reflect.DeepEqual(replay.EnvFrom, service.EnvFrom) || !reflect.DeepEqual(replay.Env, service.Env) {
		t.Errorf("the job is %+v", replay)
	}
}
