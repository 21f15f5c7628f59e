package loadbalancer

import (
	"fmt"
	"testing"

	"github.com/hcctl/hcctl/pkg/kube/health/healthtest"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// with makes the prerequisites for a mode and ranges.
func with(t *testing.T, mode Mode, ranges ...string) []prereq.Prerequisite {
	t.Helper()
	o, err := Options{Mode: mode, MetalLBRanges: ranges}.Validate()
	if err != nil {
		t.Fatal(err)
	}
	return Prerequisites(o, olm.Pins{})
}

// ranges are the prerequisites with --metallb-range.
func ranges(t *testing.T, given ...string) []prereq.Prerequisite {
	t.Helper()
	return with(t, ModeMetalLB, given...)
}

func run(t *testing.T, cases map[string]prereqtest.Case) {
	t.Helper()
	prereqtest.Run(t, with(t, ""), cases)
}

const (
	metalLBs       = "metallbs.metallb.io"
	poolsResource  = "ipaddresspools.metallb.io"
	l2Resource     = "l2advertisements.metallb.io"
	bgpResource    = "bgpadvertisements.metallb.io"
	subscriptions  = "subscriptions.operators.coreos.com"
	infrastructure = "infrastructures.config.openshift.io"
	networks       = "networks.config.openshift.io"
)

// addressPool is an IPAddressPool; more is YAML of its spec, such as "autoAssign: false".
func addressPool(name, texts, more string) string {
	return fmt.Sprintf(`
---
{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: %s, namespace: metallb-system},
  spec: {addresses: [%s], %s}}
`, name, texts, more)
}

// ownPool is hcctl's own.
func ownPool(texts string) string {
	return fmt.Sprintf(`
---
{apiVersion: metallb.io/v1beta1, kind: IPAddressPool, metadata: {name: hcctl, namespace: metallb-system,
  labels: {app.kubernetes.io/managed-by: hcctl}}, spec: {addresses: [%s]}}
`, texts)
}

// announced is an L2Advertisement or BGPAdvertisement for all pools.
func announced(kind, spec string) string {
	return fmt.Sprintf(`
---
{apiVersion: metallb.io/v1beta1, kind: %s, metadata: {name: hcctl, namespace: metallb-system,
  labels: {app.kubernetes.io/managed-by: hcctl}}, spec: {%s}}
`, kind, spec)
}

// metal is a MetalLB of hcctl's own with a status of Available, and its workloads.
func metal(available string) string { return metalAlone(available) + controller(1) + speaker(2, 2) }

// metalAlone is a MetalLB whose workloads are gone.
func metalAlone(available string) string {
	return fmt.Sprintf(`
---
{apiVersion: metallb.io/v1beta1, kind: MetalLB, metadata: {name: metallb, namespace: metallb-system,
  labels: {app.kubernetes.io/managed-by: hcctl}}, status: {conditions: [{type: Available, status: %q},
    {type: Progressing, status: "False"}, {type: Degraded, status: "False"}]}}
`, available)
}

// controller is MetalLB's controller with one pod, of which some are ready.
func controller(ready int) string {
	return "\n---\n{apiVersion: apps/v1, kind: Deployment, metadata: {name: controller, namespace: metallb-system, " +
		"generation: 1}, status: " + healthtest.RolledOut(1, 1, ready) + "}\n"
}

// speaker is MetalLB's DaemonSet.
func speaker(wanted, ready int) string {
	return fmt.Sprintf(`
---
{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: speaker, namespace: metallb-system, generation: 1}, status: {
  observedGeneration: 1, desiredNumberScheduled: %d, currentNumberScheduled: %[1]d, updatedNumberScheduled: %[1]d,
  numberReady: %d, numberAvailable: %[2]d}}
`, wanted, ready)
}

func service(name, address string) string {
	return fmt.Sprintf(`
---
{apiVersion: v1, kind: Service, metadata: {name: %s, namespace: ns}, spec: {type: LoadBalancer},
  status: {loadBalancer: {ingress: [{ip: %s}]}}}
`, name, address)
}

// site is a cluster whose nodes are in 192.0.2.0/24.
const site = `
---
{apiVersion: config.openshift.io/v1, kind: Infrastructure, metadata: {name: cluster},
  status: {platformStatus: {type: BareMetal, baremetal: {machineNetworks: [192.0.2.0/24],
    apiServerInternalIPs: [192.0.2.5], ingressIPs: [192.0.2.6]}}}}
---
{apiVersion: config.openshift.io/v1, kind: Network, metadata: {name: cluster},
  status: {clusterNetwork: [{cidr: 10.128.0.0/14}], serviceNetwork: [172.30.0.0/16]}}
---
{apiVersion: v1, kind: Node, metadata: {name: w1, labels: {rack: a}},
  status: {addresses: [{type: Hostname, address: w1}, {type: InternalIP, address: 192.0.2.20}]}}
`

// upstream is the controller of a MetalLB without its operator, in namespace lb, with so many pods ready. labels are
// YAML.
func upstream(labels string, ready int) string {
	return fmt.Sprintf(`
---
{apiVersion: apps/v1, kind: Deployment, metadata: {name: metal-controller, namespace: lb, generation: 1,
  labels: {%s}}, spec: {replicas: 1}, status: %s}
`, labels, healthtest.RolledOut(1, 1, ready))
}

const (
	byManifests = "app: metallb, component: controller"
	byChart     = "app.kubernetes.io/name: metallb, app.kubernetes.io/component: controller"
)

func operator() string {
	return prereqtest.Installed("metallb-operator", "metallb-system", "metallb-operator.v4.20.1")
}
