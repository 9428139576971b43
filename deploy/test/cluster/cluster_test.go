package cluster

import (
	"testing"
)

// TestCluster holds the manifests to one cluster, one thing after the other. Each applies
// what it needs, so that any of them can be run alone.
func TestCluster(t *testing.T) {
	c := start(t)
	t.Run("overlays", c.testOverlays)
	t.Run("upgrade", c.testUpgrade)
	t.Run("broken version", c.testBrokenVersion)
	t.Run("changed setting", c.testChangedSetting)
	t.Run("drain", c.testDrain)
	t.Run("autoscaler", c.testAutoscaler)
	t.Run("components", c.testComponents)
	t.Run("erase replay", c.testEraseReplay)
}
