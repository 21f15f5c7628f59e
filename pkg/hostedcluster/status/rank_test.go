package status

import (
	"testing"

	"github.com/hcctl/hcctl/pkg/hostedcluster/cause"
)

// What stands first in a pair explains what comes after it.
func TestRank(t *testing.T) {
	condition := func(kind, name, reason string) cause.Rank {
		return rankOf(&Part{Kind: kind}, &Part{Kind: conditionKind, Name: name, Reason: reason})
	}
	part := func(top, kind, name string) cause.Rank {
		return rankOf(&Part{Kind: top}, &Part{Kind: kind, Name: name})
	}
	var (
		operator       = part(clusterKind, operatorKind, "operator")
		prerequisite   = part(clusterKind, prerequisiteKind, "ingress/wildcard")
		image          = condition(clusterKind, "ValidReleaseImage", "")
		infrastructure = condition(clusterKind, "InfrastructureReady", "")
		etcd           = part(podsKind, "StatefulSet", "etcd")
		apiServer      = part(podsKind, "Deployment", "kube-apiserver")
		component      = part(podsKind, componentKind, "oauth-openshift")
		workload       = part(podsKind, "Deployment", "oauth-openshift")
		address        = condition(clusterKind, "Available", "KASLoadBalancerNotReachable")
		available      = condition(clusterKind, "Available", "WaitingForAvailable")
		etcdAvailable  = condition(clusterKind, "EtcdAvailable", "")
		apiAvailable   = condition(clusterKind, "KubeAPIServerAvailable", "")
		connection     = condition(clusterKind, "DataPlaneConnectionAvailable", "")
		degraded       = condition(clusterKind, "Degraded", "")
		poolConfig     = condition(poolsKind, "ValidMachineConfig", "")
		poolReady      = condition(poolsKind, "AllMachinesReady", "")
		machine        = part(poolsKind, "Machine", "m1")
		vm             = part(machinesKind, "VirtualMachine", "m1")
		request        = part(nodesKind, requestKind, "")
		node           = part(nodesKind, "Node", "m1")
		pod            = part(operatorsKind, "Pod", "openshift-ingress/router")
		hostedOperator = part(operatorsKind, "ClusterOperator", "ingress")
	)
	for name, pair := range map[string][2]cause.Rank{
		"an operator at 0 before what it reported":            {operator, image},
		"a release before infrastructure":                     {image, infrastructure},
		"a prerequisite before the infrastructure":            {prerequisite, infrastructure},
		"a prerequisite before an operator":                   {prerequisite, hostedOperator},
		"infrastructure before etcd":                          {infrastructure, etcd},
		"etcd before the API server":                          {etcd, apiServer},
		"the API server before other workloads":               {apiServer, workload},
		"what keeps a workload from being written before it":  {component, workload},
		"a pod of etcd before its condition":                  {etcd, etcdAvailable},
		"etcd's condition before the API server's":            {etcdAvailable, apiAvailable},
		"an address that is not reached before operators":     {address, hostedOperator},
		"an address that is not reached before Available":     {address, available},
		"the API server's condition before connections":       {apiAvailable, connection},
		"connections before operators":                        {connection, hostedOperator},
		"a workload before Degraded":                          {workload, degraded},
		"a pool's configuration before its machines":          {poolConfig, machine},
		"a Machine before the pool's conditions":              {machine, poolReady},
		"a VM before its node":                                {vm, node},
		"a VM before the pool's conditions":                   {vm, poolReady},
		"a request for a certificate before the node":         {request, node},
		"a node before the pods on it":                        {node, pod},
		"a pod of the hosted cluster before its operator":     {pod, hostedOperator},
		"an operator before the conditions that name it":      {hostedOperator, degraded},
		"a control plane's workload before a hosted operator": {workload, hostedOperator},
		"an API server before the nodes that cannot report":   {apiServer, node},
		"connections before the pods that they cannot reach":  {connection, pod},
		"a pool's configuration before a hosted operator":     {poolConfig, hostedOperator},
		"etcd before an address that is not reached":          {etcd, address},
		"the infrastructure before an address not reached":    {infrastructure, address},
	} {
		if pair[0] >= pair[1] {
			t.Errorf("%s: %d and %d", name, pair[0], pair[1])
		}
	}
}
