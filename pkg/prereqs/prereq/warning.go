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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// warningAge is how old the newest warning about an object may be to say how it is now. Controllers repeat theirs, with
// growing pauses of up to some 17 minutes.
const warningAge = 20 * time.Minute

// Warning returns the newest recent Event of type Warning about an object that of selects, nil if there is none or they
// may not be read.
func Warning(ctx context.Context, r kube.Reader, namespace string, of func(corev1.ObjectReference) bool) *corev1.Event {
	list := &corev1.EventList{}
	if err := r.List(ctx, list, client.InNamespace(namespace),
		client.MatchingFields{"type": corev1.EventTypeWarning}); err != nil {
		return nil
	}
	var newest *corev1.Event
	for i := range list.Items {
		e := &list.Items[i]
		if of(e.InvolvedObject) && r.Now().Sub(lastSeen(e)) < warningAge &&
			(newest == nil || lastSeen(newest).Before(lastSeen(e))) {
			newest = e
		}
	}
	return newest
}

// WarningAbout is the Warning about one object. Those about objects without a namespace are in namespace default.
func WarningAbout(ctx context.Context, r kube.Reader, o client.Object) *corev1.Event {
	return Warning(ctx, r, cmp.Or(o.GetNamespace(), metav1.NamespaceDefault), func(of corev1.ObjectReference) bool {
		return of.UID == o.GetUID()
	})
}

// lastSeen is when an event was last seen. The newer events.k8s.io form has it in other fields.
func lastSeen(e *corev1.Event) time.Time {
	switch {
	case e.Series != nil:
		return e.Series.LastObservedTime.Time
	case !e.LastTimestamp.IsZero():
		return e.LastTimestamp.Time
	case !e.EventTime.IsZero():
		return e.EventTime.Time
	}
	return e.CreationTimestamp.Time
}

// DescribeWarning is an Event without what changes each time it comes again, such as the name of a pod that could not be
// created.
func DescribeWarning(e *corev1.Event) string {
	text := strings.Join(strings.Fields(e.Message), " ")
	if _, refused, found := strings.Cut(text, " is forbidden: "); found {
		text = refused
	}
	return e.Reason + ": " + text
}

// DescribeTimes says how often an Event came and when last.
func DescribeTimes(e *corev1.Event, now time.Time) string {
	count := e.Count
	if e.Series != nil {
		count = e.Series.Count
	}
	age := duration.HumanDuration(now.Sub(lastSeen(e)))
	if count <= 1 {
		return fmt.Sprintf("Event %s of type Warning: once, %s ago", e.Reason, age)
	}
	return fmt.Sprintf("Event %s of type Warning: %d times, the last %s ago", e.Reason, count, age)
}

// warningOf is the newest warning about one of the pods of a workload that wait or, where it lacks pods, about the
// Deployment, its ReplicaSets or the DaemonSet.
func warningOf(ctx context.Context, r kube.Reader, o client.Object, waiting map[string]bool, lacks bool) *step.Finding {
	kind := "Deployment"
	if _, daemons := o.(*appsv1.DaemonSet); daemons {
		kind = "DaemonSet"
	}
	e := Warning(ctx, r, o.GetNamespace(), func(of corev1.ObjectReference) bool {
		hash, ours := strings.CutPrefix(of.Name, o.GetName()+"-")
		return of.Kind == "Pod" && waiting[of.Name] || lacks && (of.Kind == kind && of.Name == o.GetName() ||
			kind == "Deployment" && of.Kind == "ReplicaSet" && ours && !strings.Contains(hash, "-"))
	})
	if e == nil {
		return nil
	}
	object, name := kind, o.GetName()
	if e.InvolvedObject.Kind == "Pod" {
		object, name = "Pod", e.InvolvedObject.Name
	}
	f := step.Pending("%s", DescribeWarning(e)).On("%s %s/%s", object, o.GetNamespace(), name).WithTrouble().
		WithHint("oc describe %s %s -n %s", strings.ToLower(e.InvolvedObject.Kind), e.InvolvedObject.Name, o.GetNamespace()).
		WithDetail(DescribeTimes(e, r.Now()))
	return &f
}
