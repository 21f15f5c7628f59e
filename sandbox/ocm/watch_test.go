package main

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func deployment(available corev1.ConditionStatus, replicas int32, args ...string) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "agent", Name: "klusterlet-agent"}}
	d.Spec.Template.Spec.Containers = []corev1.Container{{Args: args}}
	d.Status.AvailableReplicas = replicas
	d.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentAvailable, Status: available}}
	return d
}

func TestClusterOf(t *testing.T) {
	deleted := deployment(corev1.ConditionTrue, 1, "agent", clusterFlag+"hub")
	deleted.DeletionTimestamp = &metav1.Time{}
	for name, c := range map[string]struct {
		object any
		want   string
	}{
		"available":     {deployment(corev1.ConditionTrue, 1, "agent", clusterFlag+"hub"), "hub"},
		"not available": {deployment(corev1.ConditionFalse, 0, "agent", clusterFlag+"hub"), ""},
		// A Deployment without replicas is Available.
		"scaled to zero":  {deployment(corev1.ConditionTrue, 0, "agent", clusterFlag+"hub"), ""},
		"being deleted":   {deleted, ""},
		"no cluster":      {deployment(corev1.ConditionTrue, 1, "agent"), ""},
		"no Deployment":   {&corev1.Pod{}, ""},
		"no such object?": {nil, ""},
	} {
		if got := clusterOf(c.object); got != c.want {
			t.Errorf("%s: cluster %q, want %q", name, got, c.want)
		}
	}
}

// The agents of one cluster end before those of the next start.
func TestAgentsUse(t *testing.T) {
	var mu sync.Mutex
	var log []string
	note := func(what string) {
		mu.Lock()
		defer mu.Unlock()
		log = append(log, what)
	}
	started := make(chan struct{})
	a := &agents{start: func(ctx context.Context, cluster string) {
		note("start " + cluster)
		started <- struct{}{}
		<-ctx.Done()
		note("end " + cluster)
	}}
	a.use(t.Context(), "one")
	<-started
	a.use(t.Context(), "one")
	a.use(t.Context(), "two")
	<-started
	a.use(t.Context(), "")
	want := []string{"start one", "end one", "start two", "end two"}
	if !slices.Equal(log, want) {
		t.Errorf("the agents did %q, want %q", log, want)
	}
}

func TestParse(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want options
		err  string
	}{
		"hub": {[]string{"--kubeconfig=k", "--dir=d"}, options{kubeconfig: "k", dir: "d", speed: 1,
			namespace: "open-cluster-management-agent", deployment: "klusterlet-agent"}, ""},
		"agents of another hub": {[]string{"--kubeconfig=k", "--dir=d", "--agents=ns/name"}, options{kubeconfig: "k",
			dir: "d", speed: 1, namespace: "ns", deployment: "name", agentsOnly: true}, ""},
		"no name":  {[]string{"--kubeconfig=k", "--dir=d", "--agents=ns"}, options{}, "NAMESPACE/DEPLOYMENT"},
		"no speed": {[]string{"--kubeconfig=k", "--dir=d", "--speed=0"}, options{}, "greater than 0"},
		"no dir":   {[]string{"--kubeconfig=k"}, options{}, "are needed"},
	} {
		got, err := parse(c.args)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %+v, %v, want %+v, %q", name, got, err, c.want, c.err)
		}
	}
}
