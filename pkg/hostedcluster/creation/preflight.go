package creation

import (
	"cmp"
	"context"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	preflightGroup = "preflight"
	// preflightDocs is the page of these checks, with an anchor for each.
	preflightDocs = "docs/preflight.md"
)

// The IDs of the checks before a new cluster is written. Scripts use them to skip checks.
const (
	preflightRelease        step.ID = "preflight/release"
	preflightUniqueName     step.ID = "preflight/unique-name"
	preflightPublished      step.ID = "preflight/published-names"
	preflightInfrastructure step.ID = "preflight/infrastructure"
	preflightInfraNodes     step.ID = "preflight/infrastructure-nodes"
	preflightStorageClasses step.ID = "preflight/storage-classes"
	preflightNetworks       step.ID = "preflight/additional-networks"
	preflightAddressPool    step.ID = "preflight/address-pool"
	preflightPlacement      step.ID = "preflight/placement"
	preflightQuotas         step.ID = "preflight/quotas"
	preflightClusterSet     step.ID = "preflight/cluster-set"
	preflightPlaneNodes     step.ID = "preflight/control-plane-nodes"
	preflightLifetime       step.ID = "preflight/lifetime"
	preflightOwnerLimit     step.ID = "preflight/owner-limit"
)

// PreflightIDs lists the checks that Preflight may return.
func PreflightIDs() []step.ID {
	return []step.ID{
		preflightRelease,
		preflightUniqueName,
		preflightPublished,
		preflightInfrastructure,
		preflightInfraNodes,
		preflightStorageClasses,
		preflightNetworks,
		preflightAddressPool,
		preflightPlacement,
		preflightQuotas,
		preflightClusterSet,
		preflightPlaneNodes,
		preflightLifetime,
		preflightOwnerLimit,
	}
}

// CapacityIDs lists the checks of Preflight whose result depends on the resources that others use.
func CapacityIDs() []step.ID { return []step.ID{preflightPlacement, preflightQuotas} }

// Preflight returns the checks whether the management cluster can run this cluster, beyond the general prerequisites.
// There are none for an existing cluster: its create has passed them.
func (p *Plan) Preflight() []step.Step {
	if p.exists {
		return nil
	}
	reading := p.client.Reading
	steps := []step.Step{
		{ID: preflightRelease, Title: "release is supported", Check: reading(p.checkRelease)},
		{ID: preflightUniqueName, Title: "name is used nowhere else", Severity: step.Advisory,
			Check: reading(p.checkNameUnique)},
		{ID: preflightPublished, Title: "names and ports are free", Check: reading(p.checkNamesFree)},
	}
	add := func(id step.ID, title string, check kube.Check) {
		steps = append(steps, step.Step{ID: id, Title: title, Check: reading(check)})
	}
	if p.externalInfra() {
		add(preflightInfrastructure, "infrastructure cluster can run its VMs", p.checkInfrastructure)
		add(preflightInfraNodes, "places of its VMs can be counted there", p.checkInfraNodes)
		steps[len(steps)-1].Severity = step.Advisory
	}
	if len(p.storageClasses(false))+len(p.storageClasses(true)) > 0 {
		add(preflightStorageClasses, "StorageClasses exist", p.checkStorageClasses)
	}
	if len(p.attachments()) > 0 {
		add(preflightNetworks, "additional networks exist", p.checkAttachments)
	}
	switch {
	case p.Options.MetalLBPool != "":
		add(preflightAddressPool, "address pool can serve it", p.checkAddressPool)
	case len(p.Options.MetalLBAddresses) > 0:
		add(preflightAddressPool, "addresses are free", p.checkAddressesFree)
	}
	add(preflightPlacement, "control plane and worker VMs find places", p.checkPlacement)
	add(preflightQuotas, "quotas leave room for its objects", p.checkQuotas)
	if p.Options.ClusterSet != "" {
		add(preflightClusterSet, "ManagedClusterSet exists", p.checkClusterSet)
	}
	if _, _, isolated := p.Options.PlaneLabel(); isolated {
		add(preflightPlaneNodes, "nodes for the control plane", p.checkPlaneNodes)
	}
	if p.Options.Expires != "" {
		add(preflightLifetime, "it has not expired yet", p.checkExpiry)
	}
	if p.MaxClusters > 0 {
		add(preflightOwnerLimit, "owner may have one more", p.checkOwnerLimit)
	}
	for i := range steps {
		_, anchor, _ := strings.Cut(string(steps[i].ID), "/")
		steps[i].Group, steps[i].Docs = preflightGroup, preflightDocs+"#"+anchor
	}
	return steps
}

// checkNameUnique checks for a hosted cluster of the same name in another namespace: both would be imported as the same
// ManagedCluster.
func (p *Plan) checkNameUnique(ctx context.Context, r kube.Reader) step.Finding {
	other := ""
	all, err := kube.HostedClusters(ctx, r)
	for _, hc := range all {
		if hc.Name == p.Options.Name && hc.Namespace != p.Options.Namespace {
			other = hc.String()
		}
	}
	switch {
	case err != nil:
		return kube.Unknown(err).On("HostedClusters")
	case other != "":
		return step.Missing(
			"has the same name, and the multicluster engine can import only one of them: ManagedClusters have no namespace").On(
			"HostedCluster %s", other).
			WithHint("choose another %s, unless hosted clusters are not imported automatically", hint.Flag("name"))
	}
	return step.OK("no other hosted cluster is named %s", p.Options.Name)
}

// checkNamesFree checks for another HostedCluster, Route or Service with a host name, node port or address that this
// cluster requests. The second one is not admitted, or leads to the first.
func (p *Plan) checkNamesFree(ctx context.Context, r kube.Reader) step.Finding {
	hc := objects.TypedHostedCluster(p.Options, p.Inputs)
	wanted := slices.DeleteFunc(hostedcluster.PublishedBy(hc), func(w hostedcluster.Published) bool {
		return w.Address.IsValid() && w.Address.String() == p.Inputs.NodeAddress // the address of a node
	})
	taken, err := hostedcluster.Taken(ctx, r, hc, wanted)
	switch {
	case err != nil:
		return kube.Unknown(err)
	case taken != nil:
		return step.Broken("%s", taken).On("HostedCluster %s", kube.Name(hc)).
			WithHint("choose another name or port, or free that one")
	}
	return step.OK("nobody else has its %d", len(wanted)).On("HostedCluster %s", kube.Name(hc))
}

// SkipsPublished reports whether a name of checks to skip includes the check of published names.
func SkipsPublished(name string) bool {
	return name == string(preflightPublished) || name == preflightGroup || name == "all"
}

// Published returns the host names, node ports and addresses of a new cluster, and its HostedCluster. It returns nil if
// the cluster exists.
func (p *Plan) Published() ([]hostedcluster.Published, *hyperv1.HostedCluster) {
	if p.exists {
		return nil, nil
	}
	hc := objects.TypedHostedCluster(p.Options, p.Inputs)
	return hostedcluster.PublishedBy(hc), hc
}

// checkAddressPool checks what the step that adds the namespace to the pool will need, so that it does not fail later.
func (p *Plan) checkAddressPool(ctx context.Context, r kube.Reader) step.Finding {
	pools := kube.IPAddressPool.NewList()
	err := r.List(ctx, pools, client.InNamespace(p.Inputs.MetalLB()))
	if err != nil && !kube.IsKindMissing(err) {
		return kube.Unknown(err).On("IPAddressPools in namespace %s", p.Inputs.MetalLB())
	}
	var there []string
	for i := range pools.Items {
		there = append(there, pools.Items[i].GetName())
	}
	if err == nil && !slices.Contains(there, p.Options.MetalLBPool) {
		return step.Missing("does not exist; there are: %s", cmp.Or(strings.Join(there, ", "), "none")).On(
			"IPAddressPool %s", p.Options.MetalLBPool)
	}
	f := p.checkPoolServes(ctx, r)
	if f.State != step.StateMissing {
		return f
	}
	pool, err := p.addressPool(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("%s", f.Object)
	}
	if family := p.checkFamily(ctx, r, kube.Texts(pool, "spec", "addresses"), f.Object); family.State != step.StateOK {
		return family
	}
	return step.OK("can serve the cluster: it %s", f.Message).On("%s", f.Object)
}

// checkClusterSet checks that the cluster's ManagedClusterSet exists. The hub accepts the label of a missing set, but
// it selects nothing.
func (p *Plan) checkClusterSet(ctx context.Context, r kube.Reader) step.Finding {
	name := p.Options.ClusterSet
	sets := kube.ManagedClusterSet.NewList()
	err := r.List(ctx, sets)
	var there []string
	for i := range sets.Items {
		there = append(there, sets.Items[i].GetName())
	}
	switch {
	case kube.IsKindMissing(err):
		return step.Broken("multicluster engine is not installed").On("ManagedClusterSet %s", name).
			WithHint("%s installs it; without %s and %s nothing is imported", hint.Run("bootstrap"), hint.Flag("cluster-set"),
				hint.Flag("managed-cluster"))
	case err != nil:
		return kube.Unknown(err).On("ManagedClusterSets")
	case !slices.Contains(there, name):
		return step.Missing("does not exist; there are: %s", cmp.Or(strings.Join(there, ", "), "none")).
			On("ManagedClusterSet %s", name).WithHint("oc create -f - with apiVersion: %s, kind: %s, metadata.name: %s",
			kube.ManagedClusterSet.GroupVersion(), kube.ManagedClusterSet.Kind, name)
	}
	return step.OK("exists").On("ManagedClusterSet %s", name)
}
