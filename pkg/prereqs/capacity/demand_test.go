package capacity

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

func TestMachines(t *testing.T) {
	// Ten virtual cores share a core, and each machine has 0.3 GiB on top of its memory.
	want := Resources{MilliCPU: 1200, Memory: 48*GiB + 3*322122547, Pods: 3}
	if got := Machines(3, 12, 48*GiB); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, want := UsualMachines(), Machines(2, 4, 16*GiB); got != want {
		t.Errorf("usual machines: got %+v, want %+v", got, want)
	}
}

func TestControlPlane(t *testing.T) {
	for highlyAvailable, want := range map[bool]struct {
		requests Resources
		copies   int64
	}{true: {HighlyAvailable(), 3}, false: {SingleReplica(), 1}} {
		if requests, copies := ControlPlane(highlyAvailable); requests != want.requests || copies != want.copies {
			t.Errorf("highly available %t: %+v in %d copies", highlyAvailable, requests, copies)
		}
	}
}

func TestFree(t *testing.T) {
	room := Room{Has: Resources{MilliCPU: 8000, Memory: 32 * GiB, Pods: 250},
		Used: Resources{MilliCPU: 500, Memory: 40 * GiB, Pods: 10}}
	if got, want := room.Free(), (Resources{MilliCPU: 7500, Memory: -8 * GiB, Pods: 240}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestAllocatable(t *testing.T) {
	n := &corev1.Node{}
	n.Status.Capacity = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("16")}
	n.Status.Allocatable = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("15500m"),
		corev1.ResourceMemory: resource.MustParse("60Gi"), corev1.ResourcePods: resource.MustParse("250")}
	if got, want := Allocatable(n), (Resources{MilliCPU: 15500, Memory: 60 * GiB, Pods: 250}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestResourcesForAPerson(t *testing.T) {
	for want, r := range map[string]Resources{
		"CPU 5.0, memory 18Gi and 75 pods":   HighlyAvailable(),
		"CPU 1.7, memory 6Gi and 25 pods":    SingleReplica(),
		"CPU 0.4, memory 16.6Gi and 2 pods":  UsualMachines(),
		"CPU -0.5, memory -2.5Gi and 0 pods": {MilliCPU: -500, Memory: -5 * GiB / 2},
	} {
		if got := r.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
