package probe

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// Leftovers is the step that removes what killed runs have left behind.
const Leftovers step.ID = "probe/leftovers"

// maxParallelRemovals is the maximum number of namespaces that are removed in parallel.
const maxParallelRemovals = 8

// leftoverStep finds the namespaces of other runs and removes those of dead runs, in parallel to the probes.
func leftoverStep(r *run) step.Step {
	last := &memory{finding: step.Missing("not looked for yet")}
	return step.Step{
		ID: Leftovers, Title: "nothing left of earlier probes", Group: Group, Docs: docs + "#leftovers",
		Check: func(context.Context, step.Reads) step.Finding { return last.get() },
		Apply: func(ctx context.Context) (step.Change, error) {
			last.set(r.sweep(ctx))
			return step.Unchanged, ctx.Err()
		},
	}
}

// sweep removes the namespaces of runs whose heartbeat has stopped. It compares only times of this machine's clock.
func (r *run) sweep(ctx context.Context) step.Finding {
	before, err := r.others(ctx)
	if err != nil {
		return failure(err).On("Namespaces")
	}
	if len(before) == 0 {
		return step.OK("no namespace of an earlier run")
	}
	select {
	case <-ctx.Done():
		return unknown("interrupted: %s of other runs", plural.Count(len(before), "namespace"))
	case <-time.After(silence):
	}
	after, err := r.others(ctx)
	if err != nil {
		return failure(err).On("Namespaces")
	}
	dead := dead(before, after)
	// An interruption must not stop the removal halfway.
	bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
	defer cancel()
	errs := make([]error, len(dead))
	kube.Parallelize(len(dead), maxParallelRemovals, func(i int) {
		errs[i] = remove(bounded, r.client, dead[i].Name, dead[i].UID)
	})
	remains := errors.Join(errs...)
	switch {
	case remains != nil:
		return step.Broken("%s", strings.ReplaceAll(remains.Error(), "\n", "; ")).WithHint("%s", removeHint())
	case len(dead) > 0:
		return step.OK("removed %s that killed runs have left: %s", plural.Count(len(dead), "namespace"), names(dead))
	}
	return step.OK("no namespace of an earlier run; %s of a run that is at work", plural.Count(len(after), "namespace"))
}

// others returns the namespaces of other runs.
func (r *run) others(ctx context.Context) ([]corev1.Namespace, error) {
	list := &corev1.NamespaceList{}
	if err := r.client.List(ctx, list, client.HasLabels{probeLabel}); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(list.Items, func(ns corev1.Namespace) bool {
		return !ownedByHcctl(&ns) || ns.Annotations[runAnnotation] == r.id
	}), nil
}

// ownedByHcctl reports whether hcctl made a namespace for a probe: by its name, which cannot be changed, by its labels,
// and by the field manager. A label on a foreign namespace is not enough.
func ownedByHcctl(ns *corev1.Namespace) bool {
	form := namespaceForm.FindStringSubmatch(ns.Name)
	return form != nil && ns.Labels[probeLabel] == form[1] && ns.Labels[kube.ManagedByLabel] == kube.FieldOwner &&
		ns.Annotations[runAnnotation] != "" && kube.WrittenBy(ns, kube.FieldOwner) &&
		slices.ContainsFunc(Probes(), func(p Probe) bool { return p.part() == form[1] })
}

// dead returns the namespaces whose heartbeat is the same in both lists.
func dead(before, after []corev1.Namespace) []corev1.Namespace {
	beats := map[types.UID]string{}
	for i := range before {
		beats[before[i].UID] = before[i].Annotations[heartbeatAnnotation]
	}
	return slices.DeleteFunc(slices.Clone(after), func(ns corev1.Namespace) bool {
		beat, known := beats[ns.UID]
		return !known || beat != ns.Annotations[heartbeatAnnotation]
	})
}

func names(list []corev1.Namespace) string {
	out := make([]string, 0, len(list))
	for i := range list {
		out = append(out, list[i].Name)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
