package multicluster

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	LocalCluster       step.ID = "multicluster/local-cluster"
	removeLocalCluster step.ID = "uninstall/local-cluster"
)

// localLabel marks the ManagedCluster that is the hub itself, with any name.
const localLabel = "local-cluster"

// conditionImported is a condition of the import controller (MCE 2.2 and later) on a ManagedCluster.
const conditionImported = "ManagedClusterImportSucceeded"

// namespaceGrace is how long a namespace with the local cluster's name may exist before its ManagedCluster is seen.
const namespaceGrace = time.Minute

// localCluster imports the management cluster into itself, which the hypershift addon needs.
type localCluster struct {
	o Options
}

func (s localCluster) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: LocalCluster, Title: "local cluster", Needs: []step.ID{Engine},
		Check: s.check, Apply: s.apply, Timeout: 20 * time.Minute,
		TakesOver: "has the hub manage itself although somebody has turned that off",
		Replaces:  []string{"spec.overrides.components", "spec.disableHubSelfManagement"},
		Rights:    localClusterRights(),
		Remove: []prereq.Removal{removal.Object{Kind: managedClusters()}.
			Removal(removeLocalCluster, "local cluster", removeAddon)},
	}
}

func (s localCluster) check(ctx context.Context, r kube.Reader) step.Finding {
	mce, err := prereq.Engine(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("MultiClusterEngines")
	}
	if mce != nil {
		on, exists := componentsOf(mce).enabled(componentLocalCluster)
		if exists && !on {
			return s.disabled(ctx, r, mce)
		}
	}
	cluster, err := findLocalCluster(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("ManagedClusters")
	case cluster != nil:
		f := judgeLocalCluster(cluster)
		if f.State == step.StatePending && cluster.DeletionTimestamp == nil {
			return prereq.Explained(f, klusterletCause(ctx, r))
		}
		return f
	case mce == nil:
		return s.withoutEngine(ctx, r)
	}
	return s.absent(ctx, r, mce)
}

// disabled returns the finding if the engine does not manage its own cluster. It would delete a ManagedCluster created
// by hand. A hub enables or disables the component itself (Advanced Cluster Management 2.7 and later).
func (s localCluster) disabled(ctx context.Context, r kube.Reader, mce *unstructured.Unstructured) step.Finding {
	hub, err := prereq.Hub(ctx, r)
	requested := slices.Contains(s.o.EnableComponents, componentLocalCluster)
	switch {
	case err != nil:
		return kube.Unknown(err).On("MultiClusterHubs")
	case hub != nil && isPausedHub(hub):
		return pausedHub(hub)
	case hub != nil && !kube.Flag(hub, "spec", "disableHubSelfManagement"):
		return step.Pending("component %s is off, and %s has not turned it on there yet", componentLocalCluster,
			describeOwner(hub)).On("%s", describeOwner(mce))
	case hub != nil && selfManagementKept(hub) != nil:
		return selfManagementKept(hub).On("%s", describeOwner(hub))
	case hub != nil && !requested:
		return step.Broken("spec.disableHubSelfManagement is true%s, so there is no local cluster to host on",
			prereq.SetBy(hub, "spec", "disableHubSelfManagement")).
			On("%s", describeOwner(hub)).
			WithHint(`%s, or: oc patch multiclusterhub %s -n %s --type=merge -p `+
				`'{"spec":{"disableHubSelfManagement":false}}'`,
				hint.Run("bootstrap").Flag("take-over", "multicluster/local-cluster"), hub.GetName(), hub.GetNamespace())
	case hub != nil:
		return step.Missing("spec.disableHubSelfManagement is true").On("%s", describeOwner(hub))
	case keptOff(mce, []string{componentLocalCluster}) != nil:
		return keptOff(mce, []string{componentLocalCluster}).On("%s", describeOwner(mce))
	case !requested:
		return turnedOff(mce, []string{componentLocalCluster}).On("%s", describeOwner(mce))
	}
	return step.Missing("component %s is off", componentLocalCluster).On("%s", describeOwner(mce))
}

// selfManagementKept returns a finding if a tool keeps the hub from managing itself, else nil.
func selfManagementKept(hub *unstructured.Unstructured) *step.Finding {
	return prereq.KeptByTool(hub, "spec.disableHubSelfManagement is true", "spec", "disableHubSelfManagement")
}

// withoutEngine returns the finding before the engine is installed. A namespace with the local cluster's name would
// block the engine, so it is reported early.
func (s localCluster) withoutEngine(ctx context.Context, r kube.Reader) step.Finding {
	err := r.Get(ctx, types.NamespacedName{Name: prereq.DefaultLocalCluster}, &corev1.Namespace{})
	switch {
	case apierrors.IsNotFound(err):
		return step.Missing("the cluster does not manage itself: %v", errNoEngine).
			On("ManagedCluster %s", prereq.DefaultLocalCluster)
	case err != nil:
		return kube.Unknown(err).On("Namespace %s", prereq.DefaultLocalCluster)
	}
	return blockingNamespace(prereq.DefaultLocalCluster)
}

// blockingNamespace returns the finding about a namespace that blocks the engine, which waits for its deletion before
// it creates its ManagedCluster.
func blockingNamespace(name string) step.Finding {
	return step.Broken("multicluster engine waits for this namespace to be removed before it creates ManagedCluster %s",
		name).On("Namespace %s", name).
		WithHint("if nothing in it is needed: oc delete namespace %s", name)
}

// absent returns the finding about a missing ManagedCluster. The engine creates it only if no namespace with its name
// exists, so hcctl never creates that namespace.
func (s localCluster) absent(ctx context.Context, r kube.Reader, mce *unstructured.Unstructured) step.Finding {
	name := prereq.LocalClusterName(mce)
	if byHand(mce) {
		return step.Missing("multicluster engine %s does not create it", prereq.EngineVersion(mce)).
			On("ManagedCluster %s", name)
	}
	// The role for check allows list of ManagedClusters, not get.
	named := &clusterv1.ManagedClusterList{}
	err := r.List(ctx, named, client.MatchingFields{"metadata.name": name})
	switch {
	case len(named.Items) > 0 && named.Items[0].Labels[localLabel] == "true":
		// It was created between the two reads.
		return judgeLocalCluster(&named.Items[0])
	case len(named.Items) > 0:
		// The engine never labels an existing ManagedCluster, and without the label it is not imported.
		return step.Broken("it does not have the label %s=true, so it is not taken for this cluster", localLabel).
			On("ManagedCluster %s", name).
			WithHint("if it is this cluster: oc label managedcluster %s %s=true --overwrite", name, localLabel)
	case err != nil && !kube.IsKindMissing(err):
		return kube.Unknown(err).On("ManagedCluster %s", name)
	}
	namespace := &corev1.Namespace{}
	err = r.Get(ctx, types.NamespacedName{Name: name}, namespace)
	switch {
	case apierrors.IsNotFound(err):
		return step.Pending("multicluster engine has not created ManagedCluster %s yet", name).
			On("MultiClusterEngine %s", mce.GetName())
	case err != nil:
		return kube.Unknown(err).On("Namespace %s", name)
	case namespace.DeletionTimestamp != nil:
		return step.Pending("%s; multicluster engine waits for that before it creates ManagedCluster %s",
			olm.Terminating(namespace), name).On("Namespace %s", name)
	case !olderThan(namespace, mce) && r.Now().Sub(namespace.CreationTimestamp.Time) < namespaceGrace:
		return step.Pending("multicluster engine has not created ManagedCluster %s yet", name).On("Namespace %s", name).
			RecheckAfter(namespaceGrace / 4)
	}
	return blockingNamespace(name)
}

// olderThan reports whether a is older than b, so that b's operator cannot have created it.
func olderThan(a, b client.Object) bool {
	return a.GetCreationTimestamp().Time.Before(b.GetCreationTimestamp().Time)
}

// byHand reports whether the administrator has to create the local cluster: 2.0 and 2.1 have no such component.
func byHand(mce *unstructured.Unstructured) bool {
	version := prereq.EngineVersion(mce)
	_, exists := componentsOf(mce).enabled(componentLocalCluster)
	return version.Major() == 2 && prereq.EngineBefore(version, 2) && !exists
}

func (s localCluster) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	mce, err := prereq.Engine(ctx, c)
	switch {
	case err != nil:
		return "", err
	case mce == nil:
		return "", errNoEngine
	case !byHand(mce):
		return s.enable(ctx, c, mce)
	}
	return c.CreateOnce(ctx, &clusterv1.ManagedCluster{
		ObjectMeta: metav1.ObjectMeta{
			Name:   prereq.LocalClusterName(mce),
			Labels: map[string]string{localLabel: "true", "cloud": "auto-detect", "vendor": "auto-detect"},
		},
		Spec: clusterv1.ManagedClusterSpec{HubAcceptsClient: true, LeaseDurationSeconds: 60},
	})
}

// enable enables self-management, in the hub if there is one.
func (s localCluster) enable(ctx context.Context, c *kube.Client,
	mce *unstructured.Unstructured) (step.Change, error) {
	hub, err := prereq.Hub(ctx, c)
	switch {
	case err != nil:
		return "", err
	case hub != nil:
		return prereq.MergePatch(ctx, c, hub, `{"spec":{"disableHubSelfManagement":false}}`)
	}
	return enableComponents(ctx, c, mce, componentLocalCluster)
}

// listManaged returns the right to find the hub's own cluster (findLocalCluster).
func listManaged() access.Rule {
	return prereq.ListMulticluster("managedclusters.cluster.open-cluster-management.io")
}

func localClusterRights() prereq.Rights {
	const managed = "managedclusters.cluster.open-cluster-management.io"
	return prereq.Rights{
		Check: append(prereq.ReadWorkloads(), prereq.ListEngine(), listHub(), listManaged(), prereq.ReadNamespaces()),
		Apply: []access.Rule{
			patchEngine(), patchHub(),
			{Verbs: "create", Resources: managed,
				Why: "the hub's own cluster, where multicluster engine does not make it"},
			{
				Verbs: "update", Resources: "managedclusters/accept.register.open-cluster-management.io",
				Why: "never asked of the API server by hcctl: Open Cluster Management's webhook asks whether who creates an " +
					"accepted ManagedCluster may accept it",
			},
		},
		Remove: []access.Rule{{Verbs: "get delete", Resources: managed, Names: prereq.DefaultLocalCluster,
			Why: "the same, before multicluster engine 2.2"}},
	}
}
