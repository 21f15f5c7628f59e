package prereq

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// warningAge is the maximum age of a warning that describes the present state. Controllers repeat theirs with pauses of
// up to about 17 minutes.
const warningAge = 20 * time.Minute

// warnings returns the recent Warning Events of a namespace, or none if they cannot be read.
func warnings(ctx context.Context, r kube.Reader, namespace string) []corev1.Event {
	list := &corev1.EventList{}
	if err := r.List(ctx, list, client.InNamespace(namespace),
		client.MatchingFields{"type": corev1.EventTypeWarning}); err != nil {
		return nil
	}
	return slices.DeleteFunc(list.Items, func(e corev1.Event) bool {
		return r.Now().Sub(health.EventOf(&e).Time) > warningAge
	})
}

// WarningAbout returns the newest recent warning about an object, or false. Warnings about objects without a namespace
// are in namespace default.
func WarningAbout(ctx context.Context, r kube.Reader, kind string, o client.Object) (e health.Event, found bool) {
	events := slices.DeleteFunc(warnings(ctx, r, cmp.Or(o.GetNamespace(), metav1.NamespaceDefault)),
		func(e corev1.Event) bool { return e.InvolvedObject.UID != o.GetUID() })
	return health.NewestWarningOf(events, kind, func(name string) bool { return name == o.GetName() })
}

// DescribeWarning formats an Event without parts that differ in each repetition, such as the name of a pod that could
// not be created.
func DescribeWarning(e health.Event) string {
	text := e.Message
	if _, reason, found := strings.Cut(text, " is forbidden: "); found {
		text = reason
	}
	return e.Reason + ": " + text
}

// warningOf returns the newest warning about the waiting pods of a workload, or, if pods are missing, about its
// ReplicaSets or itself.
func warningOf(ctx context.Context, r kube.Reader, o client.Object, waiting map[string]bool,
	missing bool) *step.Finding {
	kind := "Deployment"
	if _, daemons := o.(*appsv1.DaemonSet); daemons {
		kind = "DaemonSet"
	}
	events := warnings(ctx, r, o.GetNamespace())
	for _, of := range []struct {
		kind, on string
		is       func(name string) bool
	}{
		{"Pod", "Pod", func(name string) bool { return waiting[name] }},
		{"ReplicaSet", kind, func(name string) bool {
			hash, matched := strings.CutPrefix(name, o.GetName()+"-")
			return missing && kind == "Deployment" && matched && !strings.Contains(hash, "-")
		}},
		{kind, kind, func(name string) bool { return missing && name == o.GetName() }},
	} {
		e, found := health.NewestWarningOf(events, of.kind, of.is)
		if !found {
			continue
		}
		name := o.GetName()
		if of.on == "Pod" {
			name = e.Name()
		}
		f := step.Pending("%s", DescribeWarning(e)).On("%s %s/%s", of.on, o.GetNamespace(), name).WithTrouble().
			WithHint("oc describe %s %s -n %s", strings.ToLower(of.kind), e.Name(), o.GetNamespace()).
			WithDetail("Event " + e.Describe(r.Now()))
		return &f
	}
	return nil
}
