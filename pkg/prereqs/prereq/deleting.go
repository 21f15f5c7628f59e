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

// Deleting is the finding about an object that is being deleted, nil for any other. It is trouble: whoever deleted the
// object may not want it back, and a finalizer may keep it for ever.
func Deleting(kind string, o client.Object) *step.Finding {
	at := o.GetDeletionTimestamp()
	if at == nil {
		return nil
	}
	f := step.Pending("it is being deleted since %s%s%s", at.UTC().Format(time.RFC3339), stageOf(o), keptBy(o)).
		On("%s %s", kind, kube.Name(o)).WithTrouble().
		WithHint("see what it waits for: %s; %s continues once it is gone", show(kind, o), hint.Run("bootstrap"))
	return &f
}

// stageOf is the stage of a deletion in the words of the object's operator.
func stageOf(o client.Object) string {
	if u, is := o.(*unstructured.Unstructured); is {
		if c := RemovalStage(u); c != nil {
			return "; " + c.Describe()
		}
	}
	return ""
}

// RemovalStage is the condition by which an operator says what the deletion of its object waits for, nil if there is
// none. multicluster engine has its stages in Progressing, whatever the status (backplane-operator 2.2 to 5.1); that it
// is not available any more says nothing beside another condition.
func RemovalStage(u *unstructured.Unstructured) *kube.Condition {
	conditions := kube.Conditions(u)
	for _, tells := range []func(kube.Condition) bool{
		func(c kube.Condition) bool {
			return slices.Contains([]string{"WaitingForResource", "ManagedClusterTerminating",
				"ManagedClusterNamespaceTerminating"}, c.Reason)
		},
		func(c kube.Condition) bool { return c.Type == "ReconcileComplete" && c.False() },
		func(c kube.Condition) bool { return c.Type == kube.ConditionDegraded && c.True() },
		func(c kube.Condition) bool { return c.Type == kube.ConditionProgressing && c.True() },
		func(c kube.Condition) bool { return c.Type == kube.ConditionAvailable && c.False() },
	} {
		if i := slices.IndexFunc(conditions, tells); i >= 0 {
			return &conditions[i]
		}
	}
	return nil
}

// keptBy names what keeps an object that is being deleted.
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

// show is the command that prints an object.
func show(kind string, o client.Object) string {
	resource := strings.ToLower(kind)
	if kind == "Subscription" {
		// Advanced Cluster Management has a kind of that name, too.
		resource += ".operators.coreos.com"
	}
	command := "oc get " + resource + " " + o.GetName() + " -o yaml"
	if o.GetNamespace() != "" {
		command += " -n " + o.GetNamespace()
	}
	return command
}

// tellsDeleting is a check that never holds while an object that it gets by name is being deleted. Of objects that it
// lists, the check has to say so itself.
func tellsDeleting(check kube.Check) kube.Check {
	return func(ctx context.Context, r kube.Reader) step.Finding {
		reader := &deletionReader{Reader: r}
		f := check(ctx, reader)
		if f.State == step.StateOK && reader.found != nil {
			return *reader.found
		}
		return f
	}
}

// deletionReader keeps the finding about the first object it got that is being deleted.
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
