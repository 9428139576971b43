package k8s

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// TestErasuresOutliveTheirPods: a log that goes with its pod would let a restored
// database bring back what was erased.
func TestErasuresOutliveTheirPods(t *testing.T) {
	objects := render(t, "overlays/production")
	pod := every[appsv1.Deployment](objects)["directory"].Spec.Template.Spec
	log := environment(t, objects, pod.Containers[0])["DIRECTORY_ERASURE_LOG"]
	for _, mount := range pod.Containers[0].VolumeMounts {
		if !strings.HasPrefix(log, mount.MountPath+"/") || mount.ReadOnly {
			continue
		}
		volume := pod.Volumes[slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name })]
		if volume.PersistentVolumeClaim == nil {
			t.Fatalf("%s is on %s, which ends with the pod", log, volume.Name)
		}
		claim := every[corev1.PersistentVolumeClaim](objects)[volume.PersistentVolumeClaim.ClaimName]
		if claim == nil || !slices.Equal(claim.Spec.AccessModes, []corev1.PersistentVolumeAccessMode{corev1.ReadWriteMany}) {
			t.Errorf("the replicas cannot share the volume of %s: %+v", log, claim)
		}
		return
	}
	t.Errorf("DIRECTORY_ERASURE_LOG is %q, which no volume holds", log)
}
