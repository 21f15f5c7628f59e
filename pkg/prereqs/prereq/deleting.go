package prereq

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Deleting returns a finding about an object that is being deleted, else nil. It has Trouble, because the deletion may
// be intended, and a finalizer may block it forever.
func Deleting(kind string, o client.Object) *step.Finding {
	at := o.GetDeletionTimestamp()
	if at == nil {
		return nil
	}
	f := step.Pending("it is being deleted since %s%s%s", at.UTC().Format(time.RFC3339), stageOf(o), keptBy(o)).
		On("%s %s", kind, kube.Name(o)).WithTrouble().
		WithHint("see what it waits for: %s; %s continues once it is gone", getCommand(kind, o), hint.Run("bootstrap"))
	return &f
}

// stageOf returns the stage of a deletion as the object's operator reports it.
func stageOf(o client.Object) string {
	if u, is := o.(*unstructured.Unstructured); is {
		if c := RemovalStage(u); c != nil {
			return "; " + c.Describe()
		}
	}
	return ""
}

// RemovalStage returns the condition that says what the deletion of an object waits for, or nil. multicluster engine
// reports its stages in Progressing with any status (backplane-operator 2.2 to 5.1). Available False comes last,
// because it says least.
func RemovalStage(u *unstructured.Unstructured) *kube.Condition {
	conditions := kube.Conditions(u)
	for _, matches := range []func(kube.Condition) bool{
		func(c kube.Condition) bool {
			return slices.Contains([]string{"WaitingForResource", "ManagedClusterTerminating",
				"ManagedClusterNamespaceTerminating"}, c.Reason)
		},
		func(c kube.Condition) bool { return c.Type == "ReconcileComplete" && c.False() },
		func(c kube.Condition) bool { return c.Type == kube.ConditionDegraded && c.True() },
		func(c kube.Condition) bool { return c.Type == kube.ConditionProgressing && c.True() },
		func(c kube.Condition) bool { return c.Type == kube.ConditionAvailable && c.False() },
	} {
		if i := slices.IndexFunc(conditions, matches); i >= 0 {
			return &conditions[i]
		}
	}
	return nil
}

// keptBy describes the finalizers of an object that is being deleted.
func keptBy(o client.Object) string {
	kept := o.GetFinalizers()
	if namespace, ok := o.(*corev1.Namespace); ok {
		for _, f := range namespace.Spec.Finalizers {
			kept = append(kept, string(f))
		}
	}
	if len(kept) == 0 {
		return ""
	}
	return fmt.Sprintf("; finalizers keep it: %s", strings.Join(kept, ", "))
}

// getCommand returns the command that prints an object.
func getCommand(kind string, o client.Object) string {
	resource := strings.ToLower(kind)
	if kind == "Subscription" {
		// Advanced Cluster Management has a kind of the same name.
		resource += ".operators.coreos.com"
	}
	command := "oc get " + resource + " " + o.GetName() + " -o yaml"
	if o.GetNamespace() != "" {
		command += " -n " + o.GetNamespace()
	}
	return command
}

// checkDeletion wraps a check: it cannot succeed while an object that it gets by name is being deleted. For objects
// that it lists, the check itself must test that.
func checkDeletion(check kube.Check) kube.Check {
	return func(ctx context.Context, r kube.Reader) step.Finding {
		reader := &deletionReader{Reader: r}
		f := check(ctx, reader)
		if f.State == step.StateOK && reader.found != nil {
			return *reader.found
		}
		return f
	}
}

// deletionReader records the first object it got that is being deleted.
type deletionReader struct {
	kube.Reader
	found *step.Finding
}

func (r *deletionReader) Get(ctx context.Context, key client.ObjectKey, obj client.Object) error {
	if err := r.Reader.Get(ctx, key, obj); err != nil {
		return err
	}
	if r.found == nil && obj.GetDeletionTimestamp() != nil {
		kind := ""
		if gvk, err := r.GroupVersionKindFor(obj); err == nil {
			kind = gvk.Kind
		}
		r.found = Deleting(kind, obj)
	}
	return nil
}
