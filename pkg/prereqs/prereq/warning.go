package prereq

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// warningAge is how old the newest warning about an object may be to say how it is now. Controllers repeat theirs, with
// growing pauses of up to some 17 minutes.
const warningAge = 20 * time.Minute

// Warning returns the newest recent Event of type Warning about an object that of selects; false if there is none or they
// may not be read.
func Warning(ctx context.Context, r kube.Reader, namespace string, of func(corev1.ObjectReference) bool) (
	health.Event, bool) {
	list := &corev1.EventList{}
	if err := r.List(ctx, list, client.InNamespace(namespace),
		client.MatchingFields{"type": corev1.EventTypeWarning}); err != nil {
		return health.Event{}, false
	}
	e, found := health.Newest(list.Items, func(e *corev1.Event) bool { return of(e.InvolvedObject) })
	return e, found && r.Now().Sub(e.Time) < warningAge
}

// WarningAbout is the Warning about one object. Those about objects without a namespace are in namespace default.
func WarningAbout(ctx context.Context, r kube.Reader, o client.Object) (health.Event, bool) {
	return Warning(ctx, r, cmp.Or(o.GetNamespace(), metav1.NamespaceDefault), func(of corev1.ObjectReference) bool {
		return of.UID == o.GetUID()
	})
}

// DescribeWarning is an Event without what changes each time it comes again, such as the name of a pod that could not be
// created.
func DescribeWarning(e health.Event) string {
	if _, refused, found := strings.Cut(e.Message, " is forbidden: "); found {
		return e.Reason + ": " + refused
	}
	return e.Says()
}

// DescribeTimes says how often an Event came and when last.
func DescribeTimes(e health.Event, now time.Time) string {
	age := duration.HumanDuration(now.Sub(e.Time))
	if e.Count == 1 {
		return fmt.Sprintf("Event %s of type Warning: once, %s ago", e.Reason, age)
	}
	return fmt.Sprintf("Event %s of type Warning: %d times, the last %s ago", e.Reason, e.Count, age)
}

// warningOf is the newest warning about one of the pods of a workload that wait or, where it lacks pods, about the
// Deployment, its ReplicaSets or the DaemonSet.
func warningOf(ctx context.Context, r kube.Reader, o client.Object, waiting map[string]bool, lacks bool) *step.Finding {
	kind := "Deployment"
	if _, daemons := o.(*appsv1.DaemonSet); daemons {
		kind = "DaemonSet"
	}
	e, found := Warning(ctx, r, o.GetNamespace(), func(of corev1.ObjectReference) bool {
		hash, ours := strings.CutPrefix(of.Name, o.GetName()+"-")
		return of.Kind == "Pod" && waiting[of.Name] || lacks && (of.Kind == kind && of.Name == o.GetName() ||
			kind == "Deployment" && of.Kind == "ReplicaSet" && ours && !strings.Contains(hash, "-"))
	})
	if !found {
		return nil
	}
	reported, about, _ := strings.Cut(e.Object, "/")
	object, name := kind, o.GetName()
	if reported == "Pod" {
		object, name = "Pod", about
	}
	f := step.Pending("%s", DescribeWarning(e)).On("%s %s/%s", object, o.GetNamespace(), name).WithTrouble().
		WithHint("oc describe %s %s -n %s", strings.ToLower(reported), about, o.GetNamespace()).
		WithDetail(DescribeTimes(e, r.Now()))
	return &f
}
