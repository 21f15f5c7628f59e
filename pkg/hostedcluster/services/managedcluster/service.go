// Package managedcluster is the service that lets Open Cluster Management manage a hosted cluster: it joins the hub,
// becomes available, and has its set, labels and addons.
package managedcluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	addonv1 "open-cluster-management.io/api/addon/v1alpha1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/managedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// ID is the step ID of --managed-cluster.
const ID step.ID = "services/managed-cluster"

const (
	// timeout limits the import. The hypershift addon checks once a minute whether a hosted cluster is available.
	timeout = 20 * time.Minute
	// importGrace is how long the addon may take to import an available hosted cluster. Its agent imports a cluster only
	// once; a detached cluster is not imported again.
	importGrace = 3 * time.Minute
	// recheck is the time between two checks of what cannot be watched.
	recheck = 5 * time.Second
)

// Service lets the hub manage the hosted cluster. The deletion of the cluster detaches it (pkg/hostedcluster/deletion).
func Service() service.Service {
	return service.Service{
		ID: ID, Title: "ManagedCluster", Page: "docs/fleets.md#hosted-clusters-as-managed-clusters", Timeout: timeout,
		For:   func(o options.Validated) bool { return o.ManagedCluster },
		Check: check, Apply: apply,
		Rights: rights(),
	}
}

// rights are limited to names, and an admission policy limits what is written: Open Cluster Management runs code from a
// ManagedCluster and its addons on the hosting cluster, with its own rights.
func rights() service.Rights {
	const (
		ocm     = ".cluster.open-cluster-management.io"
		addons  = "managedclusteraddons.addon.open-cluster-management.io"
		configs = "klusterletaddonconfigs.agent.open-cluster-management.io"
	)
	return service.Rights{
		Check: []access.Rule{
			{Verbs: "get list watch", Resources: "managedclusters" + ocm, Names: access.Cluster,
				Why: "whether the cluster is a managed one"},
			{Verbs: "list", Resources: "managedclusters" + ocm, Unwatched: true,
				Why: "which of them is the hub itself, where the klusterlet runs"},
			{Verbs: "list", Resources: "managedclustersets" + ocm,
				Why: fmt.Sprintf("whether the set of %s exists", hint.Flag("cluster-set"))},
			{Verbs: "get list watch", Resources: addons, At: access.Imported,
				Why: fmt.Sprintf("the addons of %s", hint.Flag("addons"))},
			{Verbs: "get list watch", Resources: "addondeploymentconfigs.addon.open-cluster-management.io",
				Names: "hypershift-addon-deploy-config", Why: "whether hosted clusters are imported automatically"},
			{Verbs: "list watch", Resources: "multiclusterengines.multicluster.openshift.io",
				Why: "whether hosted clusters are imported automatically"},
			{Verbs: "list watch", Resources: "certificatesigningrequests.certificates.k8s.io",
				Why: "why a managed cluster does not join: its request for a certificate"},
			{Verbs: "list watch", Resources: "deployments.apps", At: access.Klusterlet,
				Why: "why a managed cluster does not join: its klusterlet"},
			{Verbs: "get list watch", Resources: configs, Names: access.Cluster, At: access.Imported,
				Why: "addons of an imported cluster, with Advanced Cluster Management"},
		},
		Apply: []access.Rule{
			{Verbs: "create", Resources: "managedclusters" + ocm, Only: access.Cluster, Guarded: true,
				Why: "imports the cluster, where the hypershift addon does not"},
			{Verbs: "patch", Resources: "managedclusters" + ocm, Names: access.Cluster, Guarded: true,
				Why: "labels and set of the managed cluster"},
			{Verbs: "update", Resources: "managedclusters/accept.register.open-cluster-management.io", Names: access.Cluster,
				Guarded: true, Why: "an imported cluster is accepted by the hub"},
			{Verbs: "create", Resources: "managedclustersets/join" + ocm, Names: access.ClusterSets, Guarded: true,
				Why: "a managed cluster joins its set"},
			{Verbs: "create", Resources: addons, At: access.Imported, Guarded: true,
				Why: fmt.Sprintf("the addons of %s", hint.Flag("addons"))},
			{Verbs: "create", Resources: configs, Only: access.Cluster, At: access.Imported, Guarded: true,
				Why: "addons of an imported cluster, with Advanced Cluster Management"},
		},
	}
}

// find reads the ManagedCluster; nil means that there is none. The finding is set if it belongs to another cluster.
func find(ctx context.Context, t service.Tenant, r kube.Reader) (*clusterv1.ManagedCluster, *step.Finding) {
	mc := &clusterv1.ManagedCluster{}
	name := managedcluster.NameOf(t.Cluster)
	err := r.Get(ctx, client.ObjectKey{Name: name}, mc)
	var f step.Finding
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case kube.IsKindMissing(err):
		f = step.Broken("multicluster engine is not installed").
			WithHint("%s installs it; without %s, %s and %s nothing is imported", hint.Run("bootstrap"),
				hint.Flag("managed-cluster"), hint.Flag("cluster-set"), hint.Flag("addons"))
	case err != nil:
		f = kube.Unknown(err)
	default:
		foreign := managedcluster.Foreign(mc, t.Cluster)
		if foreign == "" {
			return mc, nil
		}
		f = step.Broken("%s", sanitize.Value(foreign)).
			WithHint("detach it if nobody needs it, or give the hosted cluster another name")
	}
	f = f.On("ManagedCluster %s", name)
	return nil, &f
}

func check(ctx context.Context, t service.Tenant, r kube.Reader) step.Finding {
	mc, f := find(ctx, t, r)
	switch {
	case f != nil:
		return *f
	case mc == nil:
		return absent(ctx, t, r).On("ManagedCluster %s", managedcluster.NameOf(t.Cluster))
	}
	return judge(ctx, t, r, mc).On("ManagedCluster %s", mc.Name)
}

// absent waits for the hypershift addon if that imports hosted clusters.
func absent(ctx context.Context, t service.Tenant, r kube.Reader) step.Finding {
	since := availableSince(t.Cluster)
	if since == nil {
		return step.Pending("waits for the hosted cluster to be Available: its klusterlet needs it").RecheckAfter(recheck)
	}
	in, err := managedcluster.FindImporter(ctx, r)
	switch {
	case errors.Is(err, managedcluster.ErrNotManaged):
		return step.Broken("%s", err).WithHint("%s", hint.Run("bootstrap").Flag("take-over", "multicluster/local-cluster"))
	case err != nil:
		return kube.Unknown(err)
	case in.Off != "":
		return step.Missing("hcctl imports it: %s", in.Off)
	case r.Now().Sub(since.Time) > importGrace:
		return step.Missing("hcctl imports it: the hypershift addon has not within %s", importGrace)
	}
	return step.Pending("waits for the hypershift addon to import it").RecheckAfter(recheck)
}

// availableSince returns the time since when the hosted cluster is available, or nil if it is not.
func availableSince(hc *hyperv1.HostedCluster) *metav1.Time {
	c := kube.ConditionOf(hc, hc.Status.Conditions, string(hyperv1.HostedClusterAvailable))
	if !c.True() {
		return nil
	}
	return &metav1.Time{Time: c.LastTransitionTime}
}

// judge returns what a ManagedCluster lacks, or what it waits for.
func judge(ctx context.Context, t service.Tenant, r kube.Reader, mc *clusterv1.ManagedCluster) step.Finding {
	switch managedcluster.StateOf(mc) {
	case managedcluster.Detaching:
		return step.Pending("is being detached; it is imported again when it is gone")
	case managedcluster.NotAccepted:
		why := managedcluster.Diagnose(ctx, r, mc)
		return step.Broken("%s", why.Message).WithHint("%s", why.Hint)
	}
	if differ := labelsOf(t, mc); len(differ) > 0 {
		return step.Missing("label %s is %q, not %q", differ[0], sanitize.Value(mc.Labels[differ[0]]),
			t.Options.Labels[differ[0]])
	}
	if why := managedcluster.Diagnose(ctx, r, mc); why.Message != "" {
		return step.Pending("%s", why.Message).WithHint("%s", why.Hint).RecheckAfter(recheck)
	}
	if lacks, err := lacksAddonConfig(ctx, r, mc); err != nil {
		return kube.Unknown(err)
	} else if lacks {
		return step.Missing("Advanced Cluster Management needs a KlusterletAddonConfig for it")
	}
	for _, name := range t.Options.Addons {
		if f := addon(ctx, r, mc.Name, name); f != nil {
			return *f
		}
	}
	words := "joined and available, in set " + sanitize.Value(mc.Labels[managedcluster.SetLabel])
	if n := len(t.Options.Addons); n > 0 {
		words += ", with " + strings.Join(t.Options.Addons, ", ")
	}
	return step.OK("%s", words)
}

// labelsOf returns the labels of the options that the ManagedCluster lacks, sorted.
func labelsOf(t service.Tenant, mc *clusterv1.ManagedCluster) []string {
	var differ []string
	for key, value := range t.Options.Labels {
		if have, is := mc.Labels[key]; !is || have != value {
			differ = append(differ, key)
		}
	}
	slices.Sort(differ)
	return differ
}

// addon returns Missing if a cluster lacks an addon, Pending while the addon is not available, and nil if it is.
func addon(ctx context.Context, r kube.Reader, cluster, name string) *step.Finding {
	a := &addonv1.ManagedClusterAddOn{}
	err := r.Get(ctx, client.ObjectKey{Namespace: cluster, Name: name}, a)
	available := kube.ConditionOf(a, a.Status.Conditions, addonv1.ManagedClusterAddOnConditionAvailable)
	var f step.Finding
	switch {
	case apierrors.IsNotFound(err):
		f = step.Missing("addon %s is not there", name)
	case err != nil:
		f = kube.Unknown(err)
	case a.DeletionTimestamp != nil:
		f = step.Pending("addon %s is being deleted", name)
	case available.Status == "":
		f = step.Pending("addon %s has not reported yet", name).
			WithHint("oc -n %s describe managedclusteraddon %s", cluster, name)
	case !available.True():
		f = step.Pending("addon %s is not available: %s", name,
			sanitize.Value(available.Reason+": "+available.Message)).
			WithHint("oc -n %s describe managedclusteraddon %s", cluster, name)
	default:
		return nil
	}
	return &f
}

func apply(ctx context.Context, t service.Tenant) (step.Change, error) {
	mc, f := find(ctx, t, t.Client)
	if f != nil {
		return "", fmt.Errorf("%s: %s", f.Object, f.Message)
	}
	if mc == nil {
		in, err := managedcluster.FindImporter(ctx, t.Client)
		if err != nil {
			return "", err
		}
		return t.Client.CreateOnce(ctx, in.For(t.Cluster))
	}
	change := step.Unchanged
	if differ := labelsOf(t, mc); len(differ) > 0 {
		labels := map[string]any{}
		for _, key := range differ {
			labels[key] = t.Options.Labels[key]
		}
		mc.SetGroupVersionKind(schema.GroupVersion(clusterv1.GroupVersion).WithKind("ManagedCluster"))
		var err error
		if change, err = hostedcluster.Edit(ctx, t.Client, mc,
			map[string]any{"metadata": map[string]any{"labels": labels}}); err != nil {
			return change, err
		}
	}
	switch lacks, err := lacksAddonConfig(ctx, t.Client, mc); {
	case err != nil:
		return change, err
	case lacks:
		made, err := t.Client.CreateOnce(ctx, addonConfigFor(mc.Name))
		if change = step.Join(change, made); err != nil {
			return change, fmt.Errorf("KlusterletAddonConfig %s/%s: %w", mc.Name, mc.Name, err)
		}
	}
	for _, name := range t.Options.Addons {
		made, err := t.Client.CreateOnce(ctx, &addonv1.ManagedClusterAddOn{
			TypeMeta:   metav1.TypeMeta{APIVersion: addonv1.GroupVersion.String(), Kind: "ManagedClusterAddOn"},
			ObjectMeta: metav1.ObjectMeta{Namespace: mc.Name, Name: name},
		})
		change = step.Join(change, made)
		if err != nil {
			return change, fmt.Errorf("ManagedClusterAddOn %s/%s: %w", mc.Name, name, err)
		}
	}
	return change, nil
}

// lacksAddonConfig reports whether Advanced Cluster Management is installed and a cluster that hcctl imported has no
// KlusterletAddonConfig. The hypershift addon creates it for the clusters that it imports.
func lacksAddonConfig(ctx context.Context, r kube.Reader, mc *clusterv1.ManagedCluster) (bool, error) {
	if !hostedcluster.WrittenByHcctl(mc) {
		return false, nil
	}
	err := r.Get(ctx, client.ObjectKey{Namespace: mc.Name, Name: mc.Name}, kube.KlusterletAddonConfig.New())
	switch {
	case kube.IsKindMissing(err), err == nil:
		return false, nil
	case apierrors.IsNotFound(err):
		return true, nil
	}
	return false, fmt.Errorf("KlusterletAddonConfig %s/%s: %w", mc.Name, mc.Name, err)
}

// addonConfigFor returns the KlusterletAddonConfig that the hypershift addon creates from 2.6 on.
func addonConfigFor(cluster string) *unstructured.Unstructured {
	config := kube.KlusterletAddonConfig.New()
	config.SetNamespace(cluster)
	config.SetName(cluster)
	on := map[string]any{"enabled": true}
	config.Object["spec"] = map[string]any{
		"clusterName": cluster, "clusterNamespace": cluster,
		"clusterLabels":      map[string]any{"cloud": "auto-detect", "vendor": "auto-detect"},
		"applicationManager": on, "searchCollector": on, "certPolicyController": on, "policyController": on,
	}
	return config
}
