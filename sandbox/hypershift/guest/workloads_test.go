package guest

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestPlayWorkloads(t *testing.T) {
	state := inMemory()
	c := state.Client
	set := func(name string, hostNetwork bool, selector map[string]string) *appsv1.DaemonSet {
		return &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "cni"},
			Spec: appsv1.DaemonSetSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{HostNetwork: hostNetwork,
				NodeSelector: selector}}}}
	}
	node := func(name string, labels map[string]string) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	}
	for _, o := range []client.Object{
		node("w1", map[string]string{"cni": "yes"}), node("w2", nil),
		set("metrics", false, nil), set("agent", true, map[string]string{"cni": "yes"}),
		&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "operator", Namespace: "cni"},
			Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{HostNetwork: true}}}},
		&appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "ui", Namespace: "cni"}},
	} {
		if err := c.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second round finds everything as it is
		plugged, err := PlayWorkloads(t.Context(), c)
		if err != nil || !plugged["w1"] || plugged["w2"] {
			t.Fatalf("plugged %v, %v", plugged, err)
		}
	}
	for name, want := range map[string][2]int32{"agent": {1, 1}, "metrics": {2, 0}} {
		d := &appsv1.DaemonSet{}
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: "cni", Name: name}, d); err != nil {
			t.Fatal(err)
		}
		if got := [2]int32{d.Status.DesiredNumberScheduled, d.Status.NumberReady}; got != want {
			t.Errorf("%s: desired and ready %v, want %v", name, got, want)
		}
	}
	for name, want := range map[string]corev1.ConditionStatus{"operator": corev1.ConditionTrue,
		"ui": corev1.ConditionFalse} {
		d := &appsv1.Deployment{}
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: "cni", Name: name}, d); err != nil {
			t.Fatal(err)
		}
		if got := d.Status.Conditions[0].Status; got != want {
			t.Errorf("%s: available %s, want %s", name, got, want)
		}
	}
	var pods corev1.PodList
	if err := c.List(t.Context(), &pods); err != nil || len(pods.Items) != 3 {
		t.Errorf("%d pods, %v", len(pods.Items), err)
	}
}
