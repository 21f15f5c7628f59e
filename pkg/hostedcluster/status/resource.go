package status

import (
	"context"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Resource is a kind that can be listed, with its columns.
type Resource struct {
	kube.Kind
	// Noun is the name of the kind in messages, such as "hosted cluster".
	Noun    string
	columns []column
	// added are further columns of hcctl that are always shown, after all others.
	added []column
}

// column is one column of a table.
type column struct {
	heading string
	// wide columns are only shown with -o wide.
	wide bool
	// cell returns the value; empty if it is not known yet.
	cell func(u *unstructured.Unstructured, now time.Time) string
}

func hypershift(kind, plural string) kube.Kind {
	gvk := schema.GroupVersionKind{Group: "hypershift.openshift.io", Version: "v1beta1", Kind: kind}
	return kube.Kind{GroupVersionKind: gvk, Plural: plural, Namespaced: true}
}

// HostedClusters has the printer columns of HyperShift's CRD, for watches and for API servers that return no table. The
// wide columns add the control plane's version, which newer CRDs print (status.controlPlaneVersion), and how to reach
// the cluster.
func HostedClusters() Resource {
	return Resource{Kind: hypershift("HostedCluster", "hostedclusters"), Noun: "hosted cluster", columns: []column{
		{"NAME", false, name},
		{"VERSION", false, completed("status", "version", "history")},
		{"KUBECONFIG", false, text("status", "kubeconfig", "name")},
		{"PROGRESS", false, latest("status", "version", "history")},
		{"AVAILABLE", false, conditionStatus("Available")},
		{"PROGRESSING", false, conditionStatus("Progressing")},
		{"MESSAGE", false, conditionMessage("Available")},
		{"CP VERSION", true, completed("status", "controlPlaneVersion", "history")},
		{"CP PROGRESS", true, latest("status", "controlPlaneVersion", "history")},
		{"API", true, endpoint},
		{"CONTROL PLANE", true, text("spec", "controllerAvailabilityPolicy")},
		{"PAUSED", true, text("spec", "pausedUntil")},
		{"OWNER", true, text("metadata", "labels", hostedcluster.OwnerLabel)},
		{"EXPIRES", true, lifetime},
		{"RELEASE", true, text("spec", "release", "image")},
		{"AGE", true, age},
	}}
}

// WithManaged adds a wide column with the state of each cluster's ManagedCluster. Hosted clusters of the same name in
// several namespaces share one ManagedCluster, so the column may be about another one.
func (r Resource) WithManaged(states Managed) Resource {
	cell := func(u *unstructured.Unstructured, _ time.Time) string { return string(states[u.GetName()]) }
	at := len(r.columns) - 1
	r.columns = slices.Insert(slices.Clone(r.columns), at, column{"MANAGED", true, cell})
	return r
}

// WithExpiry adds a column with the first expiry of each cluster that the query selects. It reads the expiries, see
// expiry.Of, and returns the errors of List.
func (q Query) WithExpiry(ctx context.Context, r kube.Reader) (Resource, error) {
	ends, err := expiries(ctx, r, q.Namespace, q.Selector, q.Names)
	if err != nil {
		return q.Resource, err
	}
	cell := func(u *unstructured.Unstructured, _ time.Time) string {
		return expires(ends[client.ObjectKeyFromObject(u)])
	}
	out := q.Resource
	out.added = []column{{"FIRST END", false, cell}}
	return out, nil
}

// NodePools has the printer columns of HyperShift's CRD. The wide columns add the size of the VMs.
func NodePools() Resource {
	return Resource{Kind: hypershift("NodePool", "nodepools"), Noun: "node pool", columns: []column{
		{"NAME", false, name},
		{"CLUSTER", false, text("spec", "clusterName")},
		{"DESIRED NODES", false, number("spec", "replicas")},
		{"CURRENT NODES", false, number("status", "replicas")},
		{"AUTOSCALING", false, conditionStatus("AutoscalingEnabled")},
		{"AUTOREPAIR", false, conditionStatus("AutorepairEnabled")},
		{"VERSION", false, text("status", "version")},
		{"UPDATINGVERSION", false, conditionStatus("UpdatingVersion")},
		{"UPDATINGCONFIG", false, conditionStatus("UpdatingConfig")},
		{"MESSAGE", false, conditionMessage("Ready")},
		{"MIN-MAX", true, bounds},
		{"CORES", true, number("spec", "platform", "kubevirt", "compute", "cores")},
		{"MEMORY", true, text("spec", "platform", "kubevirt", "compute", "memory")},
		{"ROOT VOLUME", true, text("spec", "platform", "kubevirt", "rootVolume", "persistent", "size")},
		{"ARCH", true, text("spec", "arch")},
		{"UPGRADE", true, text("spec", "management", "upgradeType")},
		{"PAUSED", true, text("spec", "pausedUntil")},
		{"RELEASE", true, text("spec", "release", "image")},
		{"AGE", true, age},
	}}
}

// Nouns returns the plural of Noun.
func (r Resource) Nouns() string { return r.Noun + "s" }

// FullName is the output of -o name for an object, in kubectl's format.
func (r Resource) FullName(u *unstructured.Unstructured) string {
	return strings.ToLower(r.Kind.Kind) + "." + r.Group + "/" + u.GetName()
}

// Headings returns the headings of Cells.
func (r Resource) Headings(withNamespace, wide bool) []string {
	var out []string
	if withNamespace {
		out = append(out, "NAMESPACE")
	}
	for _, c := range slices.Concat(r.columns, r.added) {
		if wide || !c.wide {
			out = append(out, c.heading)
		}
	}
	return out
}

// Cells returns the values of an object, one for each of the Headings.
func (r Resource) Cells(u *unstructured.Unstructured, withNamespace, wide bool, now time.Time) []string {
	var out []string
	if withNamespace {
		out = append(out, u.GetNamespace())
	}
	for _, c := range slices.Concat(r.columns, r.added) {
		if wide || !c.wide {
			out = append(out, c.cell(u, now))
		}
	}
	return out
}
