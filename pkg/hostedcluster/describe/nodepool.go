package describe

import (
	"context"
	"fmt"
	"slices"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// NodePool describes a node pool. It fails as status.List does; NotRead lists everything else that cannot be read.
func NodePool(ctx context.Context, r kube.Reader, namespace, name string) (*Description, error) {
	found, err := status.List(ctx, r, status.Query{Resource: status.NodePools(), Namespace: namespace,
		Names: []string{name}})
	if err != nil {
		return nil, err
	}
	u := &found[0]
	var np hyperv1.NodePool
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &np); err != nil {
		return nil, fmt.Errorf("%s %s is not as its API says: %w", hostedcluster.NodePoolKind, name, err)
	}
	d := &Description{Namespace: namespace, Name: name, Created: np.CreationTimestamp.UTC(),
		Cluster: line(np.Spec.ClusterName), Health: status.Unknown, Settings: settings(u, options.NodePoolFields()),
		Conditions: evaluated(conditions.OfPool(&np), hostedcluster.SizeOf(&np).Max > 0)}
	report, err := status.Of(ctx, r, namespace, np.Spec.ClusterName)
	if err != nil {
		d.NotRead = append(d.NotRead, Gap{"hosted cluster " + d.Cluster, line(kube.Explain(err))})
	} else if i := slices.IndexFunc(report.NodePools.Parts, func(p status.Part) bool { return p.Name == name }); i >= 0 {
		d.Health, d.Message = report.NodePools.Parts[i].Health, line(report.NodePools.Parts[i].Message)
	}
	machines := readMachines(ctx, r, namespace, np.Spec.ClusterName)
	machines.onlyJudged(report).addTo(d, name)
	own := map[string]bool{hostedcluster.NodePoolKind + "/" + name: true}
	for _, m := range d.Machines {
		for _, kind := range []string{"VirtualMachine", "VirtualMachineInstance"} {
			own[kind+"/"+m.Name] = true
		}
	}
	events := readEvents(ctx, r, namespace, np.Spec.ClusterName)
	events.addTo(d, func(e health.Event) bool { return own[e.Object] })
	return d, nil
}
