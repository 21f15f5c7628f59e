package rbac

import (
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube/access"
)

// Place is the namespace of a rule's objects, if a role can be limited to it.
type Place = access.Place

// The places other than those of access.In. Any is the whole cluster: cluster-scoped objects, or objects of any
// namespace.
const (
	Any            Place = ""
	Clusters             = access.Clusters
	ControlPlane         = access.ControlPlane
	Services             = access.Services
	Infrastructure       = access.Infrastructure
	Imported             = access.Imported
	Klusterlet           = access.Klusterlet
)

// The namespaces that have the same name on every management cluster.
const (
	configNamespace   = "openshift-config"
	ingressNamespace  = "openshift-ingress-operator"
	routerNamespace   = "openshift-ingress"
	multusNamespace   = "openshift-multus"
	operatorNamespace = "hypershift"
	klusterletPrefix  = "klusterlet-"
)

// Limit is a flag of hcctl rbac that narrows a role.
type Limit = access.Limit

// The limits of roles.
const (
	ByNamespace = access.ByNamespace
	ByName      = access.ByName
)

// namespaces returns the namespaces of a place, if the options determine them; none means the whole cluster.
func (o Options) namespaces(p Place) []string {
	if fixed := p.Namespace(); fixed != "" {
		return []string{fixed}
	}
	if o.Namespace == "" {
		return nil
	}
	if p == Clusters || p == Infrastructure {
		return []string{o.Namespace}
	}
	var out []string
	for _, name := range o.ClusterNames {
		switch p {
		case ControlPlane:
			out = append(out, hostedcluster.ControlPlaneNamespace(o.Namespace, name))
		case Services:
			out = append(out, hostedcluster.ServicesNamespace(o.Namespace, name))
		case Imported:
			out = append(out, name)
		case Klusterlet:
			out = append(out, klusterletPrefix+name)
		}
	}
	return out
}
