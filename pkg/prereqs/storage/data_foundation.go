package storage

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/design"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	DataFoundation       step.ID = "storage/data-foundation-operator"
	removeDataFoundation step.ID = "uninstall/data-foundation-operator"
)

// dataFoundation installs OpenShift Data Foundation. odf-operator installs the other operators (ocs, rook, noobaa, ...)
// by itself. It counts as ready once they have registered the kind StorageCluster.
type dataFoundation struct{ common }

func (s dataFoundation) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: DataFoundation, Title: "OpenShift Data Foundation operator", Needs: prereq.Gates(),
		Check: s.check, Apply: s.apply, Timeout: olm.Timeout,
		TakesOver: olm.TakesOver, Replaces: olm.Replaces(),
		Rights: prereq.Rights{
			Check:  slices.Concat(planRights(), listStorage("persistentvolumes"), olm.CheckRights()),
			Apply:  append(olm.ApplyRights(), consoleRule("shows Data Foundation in the console")),
			Remove: append(olm.RemoveRights(olm.DataFoundation()), consoleRule("takes Data Foundation out of the console")),
		},
		Remove: []prereq.Removal{s.removal()},
	}
}

// removal also removes the console plugin, if hcctl enabled it.
func (s dataFoundation) removal() prereq.Removal {
	out := olm.NewRemoval(olm.DataFoundation(), kube.StorageCluster).Removal(removeDataFoundation, removeStorageCluster)
	operator := out.Apply
	out.Apply = func(ctx context.Context, c *kube.Client) (step.Change, error) {
		change, err := setConsolePlugin(ctx, c, false)
		if err != nil {
			return change, err
		}
		removed, err := operator(ctx, c)
		return step.Join(change, removed), err
	}
	return out
}

// apply enables the console plugin first, unless the settings leave it out. The console does the same when a user
// installs the operator there.
func (s dataFoundation) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	change := step.Unchanged
	if s.o.Design.ConsolePlugin != design.LeavePlugin {
		var err error
		if change, err = setConsolePlugin(ctx, c, true); err != nil {
			return change, err
		}
	}
	installed, err := s.operator(olm.DataFoundation()).Apply(ctx, c)
	return step.Join(change, installed), err
}

// consolePlugin names Data Foundation's ConsolePlugin (odf-operator 4.12 to 4.21).
const consolePlugin = "odf-console"

// consoleRule returns the right to change the enabled plugins of the console.
func consoleRule(why string) access.Rule {
	return access.Rule{Verbs: "get patch", Resources: "consoles.operator.openshift.io", Names: "cluster",
		Features: []access.Feature{access.DataFoundation}, Why: why}
}

// setConsolePlugin enables or disables the plugin, on clusters that have a console. It disables only what hcctl
// enabled. A merge patch replaces the list, so it fails with a conflict if the Console has changed.
func setConsolePlugin(ctx context.Context, c *kube.Client, want bool) (step.Change, error) {
	console := kube.Console.New()
	err := c.Get(ctx, types.NamespacedName{Name: "cluster"}, console)
	switch {
	case kube.IsKindMissing(err), apierrors.IsNotFound(err):
		return step.Unchanged, nil
	case err != nil:
		return "", fmt.Errorf("reading the Console: %w", err)
	}
	plugins := kube.Texts(console, "spec", "plugins")
	if slices.Contains(plugins, consolePlugin) == want ||
		!want && !removal.SetByHcctl(console, "f:spec", "f:plugins") {
		return step.Unchanged, nil
	}
	if want {
		plugins = append(plugins, consolePlugin)
	} else {
		plugins = slices.DeleteFunc(plugins, func(name string) bool { return name == consolePlugin })
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": console.GetResourceVersion()},
		"spec":     map[string]any{"plugins": plugins},
	})
	if err != nil {
		return "", fmt.Errorf("plugins of the console: %w", err)
	}
	return prereq.MergePatch(ctx, c, console, string(patch))
}

func (s dataFoundation) check(ctx context.Context, r kube.Reader) step.Finding {
	if f := s.unneeded(ctx, r, sourceDataFoundation); f != nil {
		return *f
	}
	if f := s.impossible(ctx, r); f != nil {
		return *f
	}
	var f step.Finding
	var namespace string
	var brought *step.Finding
	var versionErr, kindErr error
	_ = kube.Together(
		func() error { f = s.operator(olm.DataFoundation()).Check(ctx, r); return nil },
		func() error {
			if namespace, _, versionErr = s.operator(olm.DataFoundation()).Installed(ctx, r); versionErr == nil {
				brought = olm.Unhealthy(ctx, r, namespace, cephOperators...)
			}
			return nil
		},
		func() error { kindErr = r.List(ctx, kube.StorageCluster.NewList()); return nil },
	)
	if f.State != step.StateOK {
		f = olm.OrHealthy(ctx, r, f, kube.StorageCluster,
			func(all []unstructured.Unstructured) step.Finding { return judgeStorageClusters(all, r.Now()) })
		return keepVolumes(ctx, r, f, ofCeph)
	}
	switch {
	case versionErr != nil:
		return kube.Unknown(versionErr)
	case kube.IsKindMissing(kindErr):
		f = step.Pending("%s; waiting for the ocs-operator it brings, and with it the kind StorageCluster", f.Message).
			On("%s", f.Object)
		return keepVolumes(ctx, r, prereq.Explained(f, olm.Unresolved(ctx, r, namespace)), ofCeph)
	case kindErr != nil:
		return kube.Unknown(kindErr).On("StorageClusters")
	case brought != nil:
		return keepVolumes(ctx, r, *brought, ofCeph)
	}
	return f
}

// cephOperators are name prefixes of the operators that odf-operator installs and that a StorageCluster needs.
var cephOperators = []string{"ocs-operator.v", "rook-ceph-operator.v", "cephcsi-operator.v"}

// ofCeph reports whether the CSI driver is one of Data Foundation's Ceph drivers.
func ofCeph(driver string) bool { return cephDriver(driver, olm.DataFoundation().Namespace) }

// keepVolumes adds the number of bound volumes to the finding about an operator that is not healthy. While volumes are
// bound, the hint is to repair it in place, not to remove and reinstall it.
func keepVolumes(ctx context.Context, r kube.Reader, f step.Finding, made func(driver string) bool) step.Finding {
	if f.State == step.StateOK || f.State == step.StateUnknown {
		return f
	}
	list := &corev1.PersistentVolumeList{}
	if err := r.List(ctx, list); err != nil {
		return f
	}
	used := 0
	for i := range list.Items {
		pv := &list.Items[i]
		if pv.Status.Phase == corev1.VolumeBound && pv.Spec.CSI != nil && made(pv.Spec.CSI.Driver) {
			used++
		}
	}
	if used == 0 {
		return f
	}
	f.Message += fmt.Sprintf("; claims have %s that it made, so hcctl neither removes nor replaces it",
		plural.Count(used, "volume"))
	kind, name, _ := strings.Cut(f.Object, " ")
	namespace, name, _ := strings.Cut(name, "/")
	if strings.Contains(f.Hint.String(), "oc delete") && name != "" {
		f.Hint = hint.New("repair it in place: oc describe %s %s -n %s; oc get pods,events -n %s", strings.ToLower(kind),
			name, namespace, namespace)
	}
	return f
}
