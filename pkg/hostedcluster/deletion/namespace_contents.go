package deletion

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// terminating returns the finding about a namespace in deletion, with the namespace controller's messages.
func terminating(ns *corev1.Namespace) step.Finding {
	var parts []string
	for _, t := range []corev1.NamespaceConditionType{
		corev1.NamespaceContentRemaining, corev1.NamespaceFinalizersRemaining, corev1.NamespaceDeletionContentFailure,
		corev1.NamespaceDeletionDiscoveryFailure, corev1.NamespaceDeletionGVParsingFailure,
	} {
		if c, is := namespaceCondition(ns, t); is {
			parts = append(parts, c.Message)
		}
	}
	f := step.Pending("being emptied").On("Namespace %s", ns.Name)
	if len(parts) > 0 {
		f.Message += ": " + strings.Join(parts, "; ")
	}
	if _, is := namespaceCondition(ns, corev1.NamespaceDeletionDiscoveryFailure); is {
		f.Hint = hint.New("an API that does not answer holds up every namespace that is being deleted: oc get " +
			"apiservices " +
			"| grep False")
	}
	return f
}

// namespaceCondition finds a True condition.
func namespaceCondition(ns *corev1.Namespace, t corev1.NamespaceConditionType) (corev1.NamespaceCondition, bool) {
	i := slices.IndexFunc(
		ns.Status.Conditions,
		func(c corev1.NamespaceCondition) bool { return c.Type == t && c.Status == corev1.ConditionTrue },
	)
	if i < 0 {
		return corev1.NamespaceCondition{}, false
	}
	return ns.Status.Conditions[i], true
}

// remainingFinding returns the remaining objects of a namespace in deletion, with their finalizers.
func (d *Plan) remainingFinding(ctx context.Context, r kube.Reader, ns *corev1.Namespace) step.Finding {
	f := terminating(ns)
	c, is := namespaceCondition(ns, corev1.NamespaceContentRemaining)
	if !is {
		return f
	}
	var left []string
	var foreign []string
	for _, gr := range remainingResources(c.Message) {
		for _, o := range remainingObjects(ctx, r, ns.Name, gr) {
			words := o.GetKind() + " " + o.GetName() + heldBySuffix(kube.Finalizers(&o))
			if o.GetKind() == "PersistentVolumeClaim" {
				words += d.podsUsing(ctx, r, ns.Name, o.GetName())
			}
			left = append(left, words)
			foreign = append(foreign, kube.UnknownFinalizers(&o)...)
		}
	}
	if len(left) == 0 {
		return f // deleted meanwhile, or not visible for this user
	}
	f.Message = "being emptied, left: " + plural.Few(left, maxNamed)
	if failure, is := namespaceCondition(ns, corev1.NamespaceDeletionContentFailure); is {
		f.Message += "; " + failure.Message
	}
	if len(foreign) > 0 {
		slices.Sort(foreign)
		f.Hint = hint.New("hcctl does not know what removes %s: whatever added it has to; docs/delete.md says what to do "+
			"if nothing does", strings.Join(slices.Compact(foreign), ", "))
	}
	return f
}

// remainingWords matches the namespace controller's message (Kubernetes 1.16 and later): "pods. has 2 resource
// instances, virtualmachines.kubevirt.io has 1 resource instances".
var remainingWords = lazyregexp.New(`([a-z0-9-]+)\.([a-z0-9.-]*) has \d+ resource instances`)

// remainingResources parses that message.
func remainingResources(message string) []schema.GroupResource {
	var out []schema.GroupResource
	for _, m := range remainingWords.FindAllStringSubmatch(message, -1) {
		out = append(out, schema.GroupResource{Resource: m[1], Group: m[2]})
	}
	return out
}

// remainingObjects lists the objects of a resource, those with finalizers first. It returns none if they cannot be
// read.
func remainingObjects(ctx context.Context, r kube.Reader, namespace string,
	gr schema.GroupResource) []unstructured.Unstructured {
	kind, err := r.DiscoverResource(ctx, gr)
	if err != nil {
		return nil
	}
	list := kind.NewList()
	if err := r.List(ctx, list, client.InNamespace(namespace)); err != nil {
		return nil
	}
	for i := range list.Items {
		list.Items[i].SetGroupVersionKind(kind.GroupVersionKind)
	}
	slices.SortStableFunc(list.Items, func(a, b unstructured.Unstructured) int {
		return min(1, len(b.GetFinalizers())) - min(1, len(a.GetFinalizers()))
	})
	return list.Items
}

// podsUsing lists the pods that use a volume claim: Kubernetes does not delete the claim before them.
func (d *Plan) podsUsing(ctx context.Context, r kube.Reader, namespace, claim string) string {
	var pods corev1.PodList
	if err := r.List(ctx, &pods, client.InNamespace(namespace)); err != nil {
		return ""
	}
	var users []string
	for i := range pods.Items {
		p := &pods.Items[i]
		if slices.ContainsFunc(p.Spec.Volumes, func(v corev1.Volume) bool {
			return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim
		}) {
			users = append(users, fmt.Sprintf("Pod %s (%s)", p.Name, p.Status.Phase))
		}
	}
	if len(users) == 0 {
		return ""
	}
	return ", used by " + plural.Few(users, maxNamed)
}
