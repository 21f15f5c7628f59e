package creation

import (
	"context"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/hostedcluster/placement"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// externalInfra reports whether the worker VMs run on another cluster.
func (p *Plan) externalInfra() bool { return p.Options.InfraNamespace != "" }

// openInfra creates the client of the worker VMs' cluster from the kubeconfig in the options.
func (p *Plan) openInfra() {
	if p.externalInfra() {
		p.infraCluster, p.infraErr = infrastructure.Open(p.Options.InfraKubeconfigFile.Content, p.Options.InfraNamespace,
			p.key())
	}
}

// infra returns the cluster of the worker VMs. All checks share the objects that are read from it.
func (p *Plan) infra() (*infrastructure.Cluster, error) {
	return p.infraCluster, p.infraErr
}

// checkInfraNodes warns if the room for worker VMs on the infrastructure cluster cannot be counted.
func (p *Plan) checkInfraNodes(ctx context.Context, r kube.Reader) step.Finding {
	if _, err := p.countOnInfra(ctx, r); err != nil {
		return step.Unknown("whether the worker VMs find places on the infrastructure cluster was not counted: %s",
			kube.Explain(err)).On("Nodes").WithHint("a role that may see its nodes: %s",
			hint.Run("rbac").Flag("for", "infra").Flag("with", "placement").Flag("namespace", p.Options.InfraNamespace))
	}
	return step.OK("counted").On("Nodes")
}

// checkInfrastructure checks the infrastructure cluster, which will run the worker VMs.
func (p *Plan) checkInfrastructure(ctx context.Context, _ kube.Reader) step.Finding {
	c, err := p.infra()
	if err != nil {
		return step.Unknown("the kubeconfig cannot be looked through: %s", err).On("infrastructure cluster")
	}
	return c.Look(ctx)
}

// vmReader returns the Reader of the cluster that runs the worker VMs.
func (p *Plan) vmReader(r kube.Reader) (kube.Reader, error) {
	if !p.externalInfra() {
		return r, nil
	}
	c, err := p.infra()
	if err != nil {
		return nil, err
	}
	return c.Through(r), nil
}

// countOnInfra counts the room for the worker VMs on the infrastructure cluster. It fails if its nodes cannot be
// read.
func (p *Plan) countOnInfra(ctx context.Context, r kube.Reader) (placement.Count, error) {
	there, err := p.vmReader(r)
	if err != nil {
		return placement.Count{}, err
	}
	d := demand{pools: p.vms(), adopts: p.Options.InfraNamespace}
	if err := d.read(); err != nil {
		return placement.Count{}, err
	}
	count, err := d.count(ctx, there)
	if count.Impossible != "" {
		count.Impossible = "on the infrastructure cluster: " + count.Impossible
	}
	return count, err
}

// siteCount counts the room for pools on the cluster of a hosted cluster's worker VMs.
func siteCount(ctx context.Context, site infrastructure.Site, pools []PlacedPool) (placement.Count, error) {
	d := demand{namespace: site.Namespace, pools: pools}
	if err := d.read(); err != nil {
		return placement.Count{}, err
	}
	count, err := d.count(ctx, site.Reader)
	switch {
	case site.Cluster == nil && err != nil && !d.hasRules() && (kube.IsNotPermitted(err) || kube.IsKindMissing(err)):
		// A user who may not read the nodes may still create VMs.
		return placement.Count{}, nil
	case site.Cluster != nil && err != nil:
		err = &infrastructure.NotReachedError{Of: site.Of, Namespace: site.Namespace, Err: err}
	case site.Cluster != nil && count.Impossible != "":
		count.Impossible = "on the infrastructure cluster: " + count.Impossible
	}
	return count, err
}
