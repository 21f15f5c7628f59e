package programs

import (
	"errors"
	"maps"
	"slices"
	"sync/atomic"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/sandbox/real/registry"
)

func TestArgumentsOfAContainer(t *testing.T) {
	env := environment([]corev1.EnvVar{
		{Name: "MY_NAMESPACE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{
			FieldPath: "metadata.namespace"}}},
		{Name: "POD_NAME", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{
			FieldPath: "metadata.name"}}},
		{Name: "OPERATE_ON_RELEASE_IMAGE", Value: "quay.io/a:1"},
	}, "clusters-kv", "control-plane-operator-1")
	want := map[string]string{"MY_NAMESPACE": "clusters-kv", "POD_NAME": "control-plane-operator-1",
		"OPERATE_ON_RELEASE_IMAGE": "quay.io/a:1"}
	if !maps.Equal(env, want) {
		t.Errorf("environment %v, want %v", env, want)
	}
	got := arguments([]string{"run", "--namespace", "$(MY_NAMESPACE)", "--other=$(UNKNOWN)"}, env)
	if want := []string{"run", "--namespace", "clusters-kv", "--other=$(UNKNOWN)"}; !slices.Equal(got, want) {
		t.Errorf("arguments %q, want %q", got, want)
	}
}

func TestNamesThatProgramsReach(t *testing.T) {
	w := &world{registry: &registry.Server{Address: "127.0.0.1:5000"}, outage: &atomic.Bool{},
		guests: map[string]*guestServer{"clusters-kv": {address: "127.0.216.32"}}}
	for _, c := range []struct{ user, host, want string }{
		{"clusters-other", "quay.io", "127.0.0.1:5000"},
		{"clusters-kv", "kube-apiserver", "127.0.216.32:6443"},
		{"hypershift-operator", "kube-apiserver.clusters-kv.svc", "127.0.216.32:6443"},
		{"hypershift-operator", "kube-apiserver.clusters-kv.svc.cluster.local", "127.0.216.32:6443"},
		{"clusters-other", "kube-apiserver", ""},
		{"clusters-kv", "oauth-openshift", ""},
		{"clusters-kv", "registry.example.com", ""},
	} {
		got, err := w.resolve(c.user, c.host, "6443")
		if got != c.want || (err == nil) != (c.want != "") || err != nil && !errors.Is(err, registry.ErrNoHost) {
			t.Errorf("%s for %s: %q, %v, want %q", c.host, c.user, got, err, c.want)
		}
	}
	w.outage.Store(true)
	if got, err := w.resolve("clusters-kv", "quay.io", "443"); !errors.Is(err, registry.ErrUnreachable) {
		t.Errorf("the registry is away: %q, %v", got, err)
	}
	if got, err := w.resolve("clusters-kv", "kube-apiserver", "6443"); got != "127.0.216.32:6443" || err != nil {
		t.Errorf("the registry is away, the API server is not: %q, %v", got, err)
	}
}

func TestReleaseOfTheRunningVersionOperator(t *testing.T) {
	d := &appsv1.Deployment{}
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "prober"}, {Name: versionOperator, Env: []corev1.EnvVar{
		{Name: "NODE_NAME"}, {Name: "RELEASE_IMAGE", Value: "quay.io/a@sha256:b"}}}}
	if got := releaseOf(d); got != "quay.io/a@sha256:b" {
		t.Errorf("release %q", got)
	}
}

func TestProgramsShareAMachine(t *testing.T) {
	for name, p := range podPrograms {
		for _, flag := range p.flags(files{webhooks: "/certs"}, 4711) {
			if flag == "--webhook-port=9443" || flag == "--health-addr=:9440" {
				t.Errorf("%s listens on %s, like every other", name, flag)
			}
		}
		if name != "control-plane-operator" && !slices.Contains(p.flags(files{}, 4711), "--webhook-port=4711") {
			t.Errorf("%s has no webhook port of its own", name)
		}
	}
}
