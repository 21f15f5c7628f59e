package probe

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
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

// TestLarger has claims that were enlarged, that wait for a pod, and that stay as they were.
func TestLarger(t *testing.T) {
	of := func(size string, conditions ...corev1.PersistentVolumeClaimCondition) *corev1.PersistentVolumeClaim {
		claim := &corev1.PersistentVolumeClaim{}
		claim.Status.Capacity = corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}
		claim.Status.Conditions = conditions
		return claim
	}
	condition := func(kind corev1.PersistentVolumeClaimConditionType) corev1.PersistentVolumeClaimCondition {
		return corev1.PersistentVolumeClaimCondition{Type: kind, Status: corev1.ConditionTrue, Message: "why"}
	}
	for _, tc := range []struct {
		claim *corev1.PersistentVolumeClaim
		state step.State
		want  string
	}{
		{of("2Gi"), step.StateOK, ""},
		{of("1Gi", condition(corev1.PersistentVolumeClaimFileSystemResizePending)), step.StateOK, ""},
		{of("1Gi"), step.StatePending, "not enlarged"},
		{of("1Gi", condition(corev1.PersistentVolumeClaimResizing)), step.StatePending, "not enlarged (Resizing: why)"},
	} {
		if f := judgeLarger(tc.claim); f.State != tc.state || !strings.HasSuffix(f.Message, tc.want) {
			t.Errorf("%+v: %s %q", tc.claim.Status, f.State, f.Message)
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
