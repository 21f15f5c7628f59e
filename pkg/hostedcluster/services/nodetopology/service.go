// Package nodetopology is the service that labels the hosted cluster's nodes with the host, rack and zone of their VMs.
// HyperShift runs KubeVirt's cloud controller manager with zoneAndRegionEnabled: false, so no other component writes
// such labels (control-plane-operator, cloud_controller_manager/kubevirt, 4.14 to 5.2).
package nodetopology

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/validation"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// ID is the step ID of --node-topology.
const ID step.ID = "services/node-topology"

// providerPrefix is the prefix of a node's provider ID. The name of the VM follows (cloud-provider-kubevirt,
// getProviderID).
const providerPrefix = "kubevirt://"

// Service labels the nodes that have joined. After a VM has moved, only the next apply updates the labels.
func Service() service.Service {
	return service.Service{
		ID: ID, Title: "nodes labelled with their hosts", Needs: []step.ID{"hosted/nodes"},
		Page:  "docs/machines.md#labels-of-the-hosted-clusters-nodes",
		For:   func(o options.Validated) bool { return len(o.NodeTopology) > 0 },
		Check: check, Apply: apply,
		Rights: service.Rights{Check: []access.Rule{
			{Verbs: "list watch", Resources: "nodes", Why: "hosts, racks and zones of worker VMs, for labels of nodes"},
			{Verbs: "list watch", Resources: "virtualmachineinstances.kubevirt.io", At: access.ControlPlane,
				Why: "on which hosts worker VMs run, for labels of nodes"},
		}},
	}
}

// labelChange is the difference between the labels of a hosted cluster's node and those of its host.
type labelChange struct {
	node string
	// change has null for a label that the host does not have.
	change map[string]*string
}

// stale returns the nodes whose labels must change, and the number of all nodes.
func stale(ctx context.Context, t service.Tenant, r, hosted kube.Reader) ([]labelChange, int, error) {
	var nodes, hosts corev1.NodeList
	if err := hosted.List(ctx, &nodes); err != nil {
		return nil, 0, fmt.Errorf("nodes of the hosted cluster: %w", err)
	}
	if len(nodes.Items) == 0 {
		return nil, 0, nil
	}
	if err := r.List(ctx, &hosts); err != nil {
		return nil, 0, fmt.Errorf("nodes: %w", err)
	}
	var vmis kubevirtv1.VirtualMachineInstanceList
	inside := hostedcluster.ControlPlaneNamespace(t.Cluster.Namespace, t.Cluster.Name)
	if err := r.List(ctx, &vmis, client.InNamespace(inside)); err != nil {
		return nil, 0, fmt.Errorf("VirtualMachineInstances in namespace %s: %w", inside, err)
	}
	return differing(nodes.Items, hosts.Items, vmis.Items, t.Options.NodeTopology), len(nodes.Items), nil
}

// differing compares the labels of each node with those of its VM's host. Nodes without a running VM are left out.
func differing(nodes, hosts []corev1.Node, vmis []kubevirtv1.VirtualMachineInstance,
	keys []options.TopologyKey) []labelChange {
	on := map[string]*corev1.Node{}
	for i := range vmis {
		at := slices.IndexFunc(hosts, func(h corev1.Node) bool { return h.Name == vmis[i].Status.NodeName })
		if at >= 0 && vmis[i].DeletionTimestamp == nil {
			on[vmis[i].Name] = &hosts[at]
		}
	}
	var out []labelChange
	for i := range nodes {
		n := &nodes[i]
		host := on[strings.TrimPrefix(n.Spec.ProviderID, providerPrefix)]
		if host == nil || !strings.HasPrefix(n.Spec.ProviderID, providerPrefix) {
			continue
		}
		change := map[string]*string{}
		for _, key := range keys {
			want, has := valueOf(host, key.Host)
			have, is := n.Labels[key.Guest]
			switch {
			case has && (!is || have != want):
				change[key.Guest] = &want
			case !has && is:
				change[key.Guest] = nil
			}
		}
		if len(change) > 0 {
			out = append(out, labelChange{n.Name, change})
		}
	}
	return out
}

// valueOf returns the value of a host's label. For the host name that is the node's name, which users know, unless it
// is too long for a label.
func valueOf(host *corev1.Node, label string) (string, bool) {
	if label == corev1.LabelHostname && len(validation.IsValidLabelValue(host.Name)) == 0 {
		return host.Name, true
	}
	value, has := host.Labels[label]
	return value, has
}

func check(ctx context.Context, t service.Tenant, r kube.Reader) step.Finding {
	object := "HostedCluster " + kube.Name(t.Cluster)
	hosted, err := t.GuestReader(ctx, r)
	if err != nil {
		return service.Unreached(err, t)
	}
	bounded, cancel := context.WithTimeout(ctx, guest.Timeout)
	defer cancel()
	differ, n, err := stale(bounded, t, r, hosted)
	switch {
	case err != nil:
		return step.Unknown("%s", kube.Explain(err)).On("%s", object).RecheckAfter(guest.Timeout)
	case n == 0 && (t.WriteOnly || !t.Workers()):
		return step.OK("hcctl apply labels nodes once they have joined").On("%s", object)
	case n == 0:
		return step.Pending("no node has joined yet").On("%s", object).RecheckAfter(guest.Timeout)
	case len(differ) > 0:
		names := make([]string, len(differ))
		for i := range differ {
			names[i] = differ[i].node
		}
		return step.Missing("%s not labelled as their hosts are: %s", plural.Count(len(differ), "node"),
			strings.Join(names[:min(len(names), 5)], ", ")).On("%s", object)
	}
	return step.OK("%s labelled as their hosts are", plural.Count(n, "node")).On("%s", object)
}

func apply(ctx context.Context, t service.Tenant) (step.Change, error) {
	hosted, err := t.GuestClient(ctx)
	if err != nil {
		return "", err
	}
	differ, _, err := stale(ctx, t, t.Client, hosted)
	if err != nil {
		return "", err
	}
	change := step.Unchanged
	for _, d := range differ {
		patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"labels": d.change}})
		if err != nil {
			return change, err
		}
		node := &corev1.Node{}
		node.Name = d.node
		if err := hosted.Patch(ctx, node, client.RawPatch(types.MergePatchType, patch),
			client.FieldOwner(kube.FieldOwner)); client.IgnoreNotFound(err) != nil {
			return change, fmt.Errorf("node %s of the hosted cluster: %w", d.node, err)
		}
		change = step.Configured
	}
	return change, nil
}
