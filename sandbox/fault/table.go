// Package fault names what can be wrong with a sandbox's cluster on purpose, so that a tool can be tested against it.
//
// A fault is what the real operator, OLM or API server would write in that situation. Where it is brought about depends
// on its nature: in the catalog (sandbox/catalog), by objects a person might have left behind (sandbox/fault/inject),
// in a simulated operator (sandbox/operators), or in the sandbox's own processes (sandbox/cluster).
package fault

import (
	"time"
)

// Annotation names faults, with commas between them, that are in effect for one object alone: a HostedCluster, a
// NodePool or a DataVolume. --fault is for all of them.
const Annotation = "sandbox.hcctl.dev/faults"

// The names, as `hcctl-sandbox start --fault NAME` takes them.
const (
	CatalogUnhealthy     = "catalog-unhealthy"
	PackageMissing       = "package-missing"
	InstallPlanFailed    = "installplan-failed"
	TwoOperatorGroups    = "two-operatorgroups"
	WrongInstallMode     = "wrong-installmode"
	RequirementsNotMet   = "csv-requirements-not-met"
	CRDLate              = "crd-late"
	WebhookRefuses       = "webhook-refuses"
	NamespaceTerminating = "namespace-terminating"
	TwoDefaultClasses    = "two-default-storageclasses"
	NoDisks              = "no-disks"
	StorageClusterError  = "storagecluster-error"
	LVMSOnly             = "lvms-rwo-only"
	NoKVM                = "no-kvm"
	HCODegraded          = "hco-degraded"
	PoolEmpty            = "metallb-pool-empty"
	PoolOverlap          = "metallb-pool-overlap"
	NoAdvertisement      = "no-advertisement"
	ComponentStuck       = "mce-component-stuck"
	LocalNamespaceExists = "local-cluster-namespace-exists"
	RenamedLocalCluster  = "renamed-local-cluster"
	AddonDegraded        = "addon-degraded"
	IngressRolloutSlow   = "ingress-rollout-slow"
	APIServerRestart     = "apiserver-restart"
	RBACRestricted       = "rbac-restricted"
	AppsDNSMissing       = "apps-dns-missing"
	MachineHeld          = "nodepool-delete-hangs"
	ControlPlaneHeld     = "controlplane-delete-hangs"
	NamespaceHeld        = "namespace-delete-hangs"
	CloudResourcesRemain = "cloud-resources-remain"
	ClaimLeft            = "pvc-left"
	BalancerLeft         = "loadbalancer-left"
	VMNoCapacity         = "vm-no-capacity"
	VMImageImport        = "vm-image-import"
	IgnitionUnreachable  = "ignition-unreachable"
	GuestNotUpgradeable  = "guest-not-upgradeable"
	UpgradeStuck         = "upgrade-stuck"
	CIDRFalseAlarm       = "cidr-false-alarm"
)

// World says in which clusters a fault makes sense.
type World int

const (
	// Anywhere is any profile.
	Anywhere World = iota
	// Bare are profiles in which the operators are still to be installed.
	Bare
	// Provisioned are profiles in which everything is in place at birth.
	Provisioned
)

// Fault is one line of the table.
type Fault struct {
	// Name is what --fault takes.
	Name string
	// Wrong says what goes wrong, in half a sentence.
	Wrong string
	// Lasts is the duration at speed 1 of faults that end by themselves.
	Lasts time.Duration
	// World is where it makes sense.
	World World
}

// All lists the faults in the order of an installation.
func All() []Fault {
	return []Fault{
		{Name: CatalogUnhealthy, Wrong: "CatalogSource redhat-operators does not answer: connections to it are refused",
			Lasts: 30 * time.Second},
		{Name: PackageMissing, Wrong: "catalog redhat-operators has no package metallb-operator"},
		{Name: InstallPlanFailed, Wrong: "the bundle of multicluster-engine has an object the API server refuses, so its " +
			"InstallPlan fails", World: Bare},
		{Name: TwoOperatorGroups, Wrong: "namespace openshift-local-storage has two OperatorGroups", World: Bare},
		{Name: WrongInstallMode, Wrong: "namespaces metallb-system and openshift-cnv have OperatorGroups that do not fit " +
			"their operators", World: Bare},
		{Name: RequirementsNotMet, Wrong: "the bundle of kubevirt-hyperconverged wants a newer Kubernetes, so its " +
			"ClusterServiceVersion stays Pending", World: Bare},
		{Name: CRDLate, Wrong: "the CRDs of open-cluster-management come long after multicluster-engine's " +
			"ClusterServiceVersion has succeeded", Lasts: time.Minute, World: Bare},
		{Name: WebhookRefuses,
			Wrong: "the validating webhooks of MetalLB, OpenShift Virtualization and multicluster-engine " +
				"refuse connections at first", Lasts: time.Minute, World: Bare},
		{Name: NamespaceTerminating, Wrong: "namespace metallb-system stays Terminating: an object in it has a finalizer " +
			"nobody removes", World: Bare},
		{Name: TwoDefaultClasses, Wrong: "two StorageClasses are marked default"},
		{Name: NoDisks, Wrong: "no worker has an empty disk", World: Bare},
		{Name: StorageClusterError, Wrong: "the StorageCluster stays in phase Error, condition ReconcileComplete False: " +
			"ReconcileFailed"},
		{Name: LVMSOnly, Wrong: "the only StorageClass is one of LVM Storage, the default: volumes for one node at a time"},
		{Name: NoKVM, Wrong: "no node can run virtual machines: two have no /dev/kvm, one is not schedulable to KubeVirt"},
		{Name: HCODegraded, Wrong: "HyperConverged is Degraded, because CDI is"},
		{Name: PoolEmpty, Wrong: "all addresses of the MetalLB pool are in use", World: Provisioned},
		{Name: PoolOverlap, Wrong: "a second MetalLB pool contains addresses of nodes and of the API", World: Provisioned},
		{Name: NoAdvertisement, Wrong: "the only L2Advertisement selects another pool than the one there is",
			World: Provisioned},
		{Name: ComponentStuck, Wrong: "multicluster-engine's component hive does not become available: no node fits its pod"},
		{Name: LocalNamespaceExists, Wrong: "namespace local-cluster exists already, so multicluster-engine waits with its " +
			"ManagedCluster", World: Bare},
		{Name: RenamedLocalCluster,
			Wrong: "nothing, but the ManagedCluster of this cluster is called hub (MCE 2.9 and later)", World: Provisioned},
		{Name: AddonDegraded, Wrong: "hypershift-addon is Available but Degraded: one replica of HyperShift's operator is " +
			"not ready"},
		{Name: IngressRolloutSlow, Wrong: "the routers are replaced slowly, one at a time", Lasts: time.Minute, World: Bare},
		{Name: APIServerRestart, Wrong: "the API server goes away once, in the middle of the installation, and comes back " +
			"at the same address", Lasts: RestartTime, World: Bare},
		{Name: RBACRestricted, Wrong: "DIR/kubeconfig-restricted is a user who may not create Subscriptions, patch " +
			"IngressControllers or read Secrets"},
		{Name: AppsDNSMissing, Wrong: "no DNS record leads to *.apps of hosted clusters with a base domain of their own"},
		{Name: MachineHeld, Wrong: "a NodePool that is deleted stays: a finalizer holds one of its virtual machines"},
		{Name: ControlPlaneHeld,
			Wrong: "a HostedControlPlane that is deleted stays: the control plane operator is not ready"},
		{Name: NamespaceHeld, Wrong: "the namespace of a deleted control plane stays: a finalizer holds a ConfigMap in it"},
		{Name: CloudResourcesRemain, Wrong: "a Service of type LoadBalancer inside hosted clusters cannot be removed, so " +
			"their deletion waits until the operator gives up"},
		{Name: ClaimLeft, Wrong: "the namespace of a deleted control plane stays: a snapshot holds a volume claim in it"},
		{Name: BalancerLeft, Wrong: "the namespace of a deleted control plane stays: the load balancer of a Service in it " +
			"is not removed"},
		{Name: VMNoCapacity, Wrong: "no worker has memory left for a virtual machine: their pods cannot be scheduled",
			World: Provisioned},
		{Name: VMImageImport, Wrong: "the boot image of virtual machines cannot be pulled, so their DataVolumes stay in " +
			"ImportInProgress", World: Provisioned},
		{Name: IgnitionUnreachable, Wrong: "virtual machines run but do not reach the ignition endpoint, so they never " +
			"become nodes", World: Provisioned},
		{Name: GuestNotUpgradeable, Wrong: "hosted clusters are Upgradeable=False: an operator installed in them does not " +
			"support the next minor", World: Provisioned},
		{Name: UpgradeStuck,
			Wrong: "upgrades of hosted clusters do not end: cluster operator monitoring is degraded in the " +
				"new version", World: Provisioned},
		{Name: CIDRFalseAlarm, Wrong: "NodePools have ClusterNetworkCIDRConflict, though all works: the operator takes " +
			"OVN-Kubernetes' own ports for the machines'"},
	}
}

// RestartTime is how long the API server of APIServerRestart is away, at any speed: clients do not get faster.
const RestartTime = 10 * time.Second
