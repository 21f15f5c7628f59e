package nodepool

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
)

// nodesInfo is status.nodesInfo of a NodePool, which the API module's type lacks.
type nodesInfo struct {
	NodeVersions []nodeVersion `json:"nodeVersions,omitempty"`
}

// nodeVersion counts the nodes of one OpenShift and kubelet version. A node is ready if Cluster API's condition
// NodeHealthy of its Machine is True.
type nodeVersion struct {
	OCPVersion       string `json:"ocpVersion"`
	KubeletVersion   string `json:"kubeletVersion"`
	ReadyNodeCount   int32  `json:"readyNodeCount"`
	UnreadyNodeCount int32  `json:"unreadyNodeCount"`
}

// countNodes counts the nodes of the machines by version, sorted.
func countNodes(machines []machine) nodesInfo {
	var info nodesInfo
	for i := range machines {
		m := &machines[i]
		if m.node == nil || m.node.Status.NodeInfo.KubeletVersion == "" {
			continue
		}
		release := releaseOf(m.node)
		kubelet := m.node.Status.NodeInfo.KubeletVersion
		at := slices.IndexFunc(info.NodeVersions, func(v nodeVersion) bool {
			return v.OCPVersion == release && v.KubeletVersion == kubelet
		})
		if at < 0 {
			at = len(info.NodeVersions)
			info.NodeVersions = append(info.NodeVersions, nodeVersion{OCPVersion: release, KubeletVersion: kubelet})
		}
		if m.healthy() {
			info.NodeVersions[at].ReadyNodeCount++
		} else {
			info.NodeVersions[at].UnreadyNodeCount++
		}
	}
	slices.SortFunc(info.NodeVersions, func(a, b nodeVersion) int {
		return cmp.Or(cmp.Compare(a.OCPVersion, b.OCPVersion), cmp.Compare(a.KubeletVersion, b.KubeletVersion))
	})
	return info
}

// noteNodes writes the nodes' versions, if this operator does.
func (p *pool) noteNodes(ctx context.Context) error {
	if !p.Features.Has(reconciler.NodesInfo) {
		return nil
	}
	var told nodesInfo
	if err := p.NewerField(ctx, p.np, &told, "status", string(reconciler.NodesInfo)); err != nil {
		return err
	}
	now := countNodes(p.machines)
	if equality.Semantic.DeepEqual(told, now) {
		return nil
	}
	var value any = now
	if len(now.NodeVersions) == 0 {
		value = nil
	}
	patch, err := json.Marshal(map[string]any{"status": map[string]any{string(reconciler.NodesInfo): value}})
	if err != nil {
		return err
	}
	if err := p.Client.Status().Patch(ctx, p.np.DeepCopy(), client.RawPatch(types.MergePatchType, patch)); err != nil {
		return fmt.Errorf("write the nodes' versions of NodePool %s: %w", p.key(), client.IgnoreNotFound(err))
	}
	return nil
}
