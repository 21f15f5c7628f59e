package probe

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

func TestProbesOfHostedClustersAreTheirOwn(t *testing.T) {
	all := Options{Names: []string{All}}
	if got := steptest.IDs(InsideSteps(nil, all)); got != "probe/leftovers probe/hosted-storage" {
		t.Errorf("of a hosted cluster: %s", got)
	}
	if got := steptest.IDs(InsideSteps(nil, Options{Names: []string{Pull}})); got != "probe/leftovers" {
		t.Errorf("of what hosted clusters do not have: %s", got)
	}
	for _, s := range Steps(nil, all) {
		if s.ID == "probe/hosted-storage" {
			t.Error("the management cluster is probed as a hosted one")
		}
	}
}

func TestVolumeOf(t *testing.T) {
	const claim = `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: volume, namespace: p},
  spec: {volumeName: pv}}`
	volume := func(driver string) string {
		return "\n---\n{apiVersion: v1, kind: PersistentVolume, metadata: {name: pv}, spec: {csi: {driver: " + driver +
			", volumeHandle: \"pvc-1\\e[2J\"}}}\n"
	}
	for objects, want := range map[string]string{
		claim:                             "",
		claim + volume("csi.kubevirt.io"): `, plugged in as DataVolume pvc-1\x1b[2J`,
		claim + volume("other.example"):   "",
	} {
		api := kubetest.Serve(t)
		api.Put(t, objects)
		s := &session{run: &run{client: api.Client}, namespace: "p"}
		if got := s.volumeOf(t.Context()); got != want {
			t.Errorf("%s: %q, want %q", objects, got, want)
		}
	}
}
