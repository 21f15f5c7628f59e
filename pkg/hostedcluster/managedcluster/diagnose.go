package managedcluster

import (
	"context"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

const (
	// clusterNameLabel is the label of an agent's certificate signing requests (open-cluster-management.io/ocm).
	clusterNameLabel = "open-cluster-management.io/cluster-name"
	// leaseName is the name of the Lease that an agent renews in the namespace of its cluster at the hub.
	leaseName = "managed-cluster-lease"
	// conditionKubeconfig is a condition of the import controller, for clusters whose agents run on a hosting cluster.
	conditionKubeconfig = "ExternalManagedKubeconfigCreatedSucceeded"
	// klusterletPrefix is the prefix of the namespace of these agents on the hosting cluster.
	klusterletPrefix = "klusterlet-"
)

// Trouble is why a ManagedCluster is not available, and how to fix it. The zero value means that it is available.
type Trouble struct {
	Message string
	Hint    hint.Text
}

// Diagnose returns why a ManagedCluster is not available: the hub does not accept it, the import failed, a certificate
// signing request is not approved, the klusterlet does not run, or its Lease is not renewed. Failed reads are reported
// in Message. For a hosted cluster the hub must be its hosting cluster.
func Diagnose(ctx context.Context, r kube.Reader, mc *clusterv1.ManagedCluster) Trouble {
	switch StateOf(mc) {
	case Available:
		return Trouble{}
	case Detaching:
		return Trouble{Message: "it is being detached from the hub"}
	case NotAccepted:
		return Trouble{"the hub does not accept it: hubAcceptsClient is false",
			hint.New(`oc patch managedcluster %s --type=merge -p '{"spec":{"hubAcceptsClient":true}}'`, mc.Name)}
	case NotJoined:
		return notJoined(ctx, r, mc)
	case Unavailable:
		return Trouble{"its klusterlet does not reach its API server: " +
			conditionText(mc, clusterv1.ManagedClusterConditionAvailable), hint.Text{}}
	case Joined, Unreachable:
		return notReporting(ctx, r, mc)
	}
	return Trouble{}
}

// conditionText returns reason and message of a condition. They are sanitized, because they come from the cluster.
func conditionText(mc *clusterv1.ManagedCluster, condition string) string {
	c := kube.ConditionOf(mc, mc.Status.Conditions, condition)
	return sanitize.Value(strings.TrimSuffix(c.Reason+": "+c.Message, ": "))
}

func notJoined(ctx context.Context, r kube.Reader, mc *clusterv1.ManagedCluster) Trouble {
	if kube.ConditionOf(mc, mc.Status.Conditions, conditionKubeconfig).False() {
		return Trouble{"its klusterlet has no kubeconfig of the hosted cluster: " + conditionText(mc, conditionKubeconfig),
			hint.New("the hypershift addon's agent makes Secret external-managed-kubeconfig in namespace %s as soon as the "+
				"hosted cluster is Available: oc -n open-cluster-management-agent-addon get pods", klusterletPrefix+mc.Name)}
	}
	imported := kube.ConditionOf(mc, mc.Status.Conditions, conditionImported)
	if imported.False() && imported.Reason == "ManagedClusterImportFailed" {
		return Trouble{"its import failed: " + conditionText(mc, conditionImported), hint.Text{}}
	}
	if t, found := requests(ctx, r, mc.Name); found {
		return t
	}
	if t, found := agents(ctx, r, mc); found {
		return t
	}
	if words := conditionText(mc, conditionImported); words != "" && !imported.True() {
		return Trouble{"it is not imported yet: " + words, hint.New("without an import by the hub, its manifests are in "+
			"Secret %s-import of namespace %s", mc.Name, mc.Name)}
	}
	return Trouble{"its klusterlet has not joined yet", hint.Text{}}
}

// requests looks for an agent's certificate signing request that is not approved. Only the newest counts.
func requests(ctx context.Context, r kube.Reader, cluster string) (Trouble, bool) {
	list := kube.CertificateSigningRequest.NewList()
	if err := r.List(ctx, list, client.MatchingLabels{clusterNameLabel: cluster}); err != nil {
		return Trouble{"whether its request for a certificate is approved cannot be read: " + kube.Explain(err),
				hint.Text{}},
			!apierrors.IsForbidden(err)
	}
	var newest *unstructured.Unstructured
	for i := range list.Items {
		at := list.Items[i].GetCreationTimestamp()
		if newest == nil || !at.Time.Before(newest.GetCreationTimestamp().Time) {
			newest = &list.Items[i]
		}
	}
	if newest == nil {
		return Trouble{}, false
	}
	v := health.Judge(newest, r.Now())
	if v.OK() {
		return Trouble{}, false
	}
	return Trouble{fmt.Sprintf("its request for a certificate, %s: %s", sanitize.Value(newest.GetName()), v.Message),
		hint.New("oc get csr -l %s=%s; if it is the klusterlet's: oc adm certificate approve NAME", clusterNameLabel,
			cluster)}, true
}

// agents checks whether the klusterlet of a hosted cluster runs.
func agents(ctx context.Context, r kube.Reader, mc *clusterv1.ManagedCluster) (Trouble, bool) {
	if mc.Annotations[DeployModeAnnotation] != HostedMode {
		return Trouble{}, false
	}
	namespace := klusterletPrefix + mc.Name
	var list appsv1.DeploymentList
	if err := r.List(ctx, &list, client.InNamespace(namespace)); err != nil {
		return Trouble{"its klusterlet cannot be read: " + kube.Explain(err), hint.Text{}}, !apierrors.IsForbidden(err)
	}
	for i := range list.Items {
		if v := health.Of(&list.Items[i], r.Now()); !v.OK() {
			return Trouble{fmt.Sprintf("its klusterlet does not run: %s: %s", v.Object, v.Message),
				hint.New("oc -n %s get pods,events", namespace)}, true
		}
	}
	return Trouble{}, false
}

// notReporting returns the trouble of an agent that has joined but no longer reports to the hub.
func notReporting(ctx context.Context, r kube.Reader, mc *clusterv1.ManagedCluster) Trouble {
	if t, found := agents(ctx, r, mc); found {
		return t
	}
	lease := kube.Lease.New()
	err := r.Get(ctx, client.ObjectKey{Namespace: mc.Name, Name: leaseName}, lease)
	renewed, unset := time.Parse(time.RFC3339, kube.Text(lease, "spec", "renewTime"))
	words := conditionText(mc, clusterv1.ManagedClusterConditionAvailable)
	switch {
	case apierrors.IsForbidden(err), apierrors.IsNotFound(err):
	case err != nil:
		words = fmt.Sprintf("Lease %s/%s cannot be read: %s", mc.Name, leaseName, kube.Explain(err))
	case unset == nil && StateOf(mc) == Joined && r.Now().Sub(renewed) < time.Duration(leaseSeconds(mc))*time.Second:
		words = ""
	case unset == nil:
		words = fmt.Sprintf("Lease %s/%s was renewed %s ago, and has to be every %d s", mc.Name, leaseName,
			r.Now().Sub(renewed).Truncate(time.Second), leaseSeconds(mc))
	}
	if words == "" && StateOf(mc) == Joined {
		return Trouble{"its klusterlet has joined and has not reported yet", hint.Text{}}
	}
	where := "in the managed cluster"
	if mc.Annotations[DeployModeAnnotation] == HostedMode {
		where = "in namespace " + klusterletPrefix + mc.Name
	}
	return Trouble{strings.TrimSuffix("the hub does not hear of its klusterlet: "+words, ": "),
		hint.New("see the logs of the klusterlet %s, and whether it reaches the hub's API server", where)}
}

// leaseSeconds is the interval in seconds at which an agent renews its Lease. The API's default is 60.
func leaseSeconds(mc *clusterv1.ManagedCluster) int32 {
	if mc.Spec.LeaseDurationSeconds > 0 {
		return mc.Spec.LeaseDurationSeconds
	}
	return 60
}
