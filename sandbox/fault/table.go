// Package fault lists the faults that a sandbox can inject, so that a tool can be tested against them.
//
// A fault is what the real operator, OLM or API server would write in that situation. The package that injects it
// depends on the fault: the catalog (sandbox/catalog), objects of a user (sandbox/fault/inject), a simulated operator
// (sandbox/operators), or the sandbox's own processes (sandbox/cluster).
package fault

import (
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Annotation lists the active faults of one HostedCluster, NodePool, DataVolume, StorageClass or migration, separated
// by commas. The flag --fault is for all objects.
const Annotation = "sandbox.hcctl.dev/faults"

// On reports whether an object's annotation names a fault.
func On(o metav1.Object, name string) bool {
	return slices.Contains(strings.Split(o.GetAnnotations()[Annotation], ","), name)
}

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
	MixedDisks           = "mixed-disks"
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
	VMImportPending      = "vm-import-pending"
	VolumeFails          = "volume-provisioning-fails"
	MigrationFails       = "migration-fails"
	IgnitionUnreachable  = "ignition-unreachable"
	GuestNotUpgradeable  = "guest-not-upgradeable"
	UpgradeStuck         = "upgrade-stuck"
	KASUnreachable       = "kas-unreachable"
	DataPlaneCut         = "data-plane-cut"
	ReEncryptionStuck    = "reencryption-stuck"
	ReEncryptionFails    = "reencryption-fails"
	OperatorHangs        = "hypershift-hangs"
	InPlaceFails         = "inplace-upgrade-fails"
	CSRsPending          = "csrs-pending"
	CIDRFalseAlarm       = "cidr-false-alarm"
)

// Scope says which clusters can have a fault.
type Scope int

const (
	// Anywhere is any profile.
	Anywhere Scope = iota
	// Bare are profiles without the operators.
	Bare
	// Provisioned are profiles with everything installed at birth.
	Provisioned
)

// Fault is one row of the table.
type Fault struct {
	// Name is the value of --fault.
	Name string
	// Description says in half a sentence what goes wrong.
	Description string
	// Duration is the time at speed 1 after which the fault heals by itself; 0 means never.
	Duration time.Duration
	// Scope says which clusters can have it.
	Scope Scope
}

// All lists the faults in the order of an installation.
func All() []Fault {
	return []Fault{
		{Name: CatalogUnhealthy, Duration: 30 * time.Second,
			Description: "CatalogSource redhat-operators does not answer: it refuses connections"},
		{Name: PackageMissing, Description: "catalog redhat-operators has no package metallb-operator"},
		{Name: InstallPlanFailed, Scope: Bare,
			Description: "the bundle of multicluster-engine has an object that the API server refuses, so its " +
				"InstallPlan fails"},
		{Name: TwoOperatorGroups, Scope: Bare,
			Description: "namespace openshift-local-storage has two OperatorGroups"},
		{Name: WrongInstallMode, Scope: Bare,
			Description: "namespaces metallb-system and openshift-cnv have OperatorGroups that do not fit their " +
				"operators"},
		{Name: RequirementsNotMet, Scope: Bare,
			Description: "the bundle of kubevirt-hyperconverged needs a newer Kubernetes, so its ClusterServiceVersion " +
				"stays Pending"},
		{Name: CRDLate, Duration: time.Minute, Scope: Bare,
			Description: "the CRDs of open-cluster-management come long after multicluster-engine's " +
				"ClusterServiceVersion has succeeded"},
		{Name: WebhookRefuses, Duration: time.Minute, Scope: Bare,
			Description: "the validating webhooks of MetalLB, OpenShift Virtualization and multicluster-engine refuse " +
				"connections at first"},
		{Name: NamespaceTerminating, Scope: Bare,
			Description: "namespace metallb-system stays Terminating: an object in it has a finalizer that nobody " +
				"removes"},
		{Name: TwoDefaultClasses, Description: "two StorageClasses are marked default"},
		{Name: NoDisks, Description: "no worker has an empty disk", Scope: Bare},
		{Name: MixedDisks, Scope: Bare,
			Description: "workers have disks too that nobody wants: hard disks, USB, a LUN that all share, with data, " +
				"too small"},
		{Name: StorageClusterError,
			Description: "the StorageCluster stays in phase Error, condition ReconcileComplete False: ReconcileFailed"},
		{Name: LVMSOnly,
			Description: "the only StorageClass is the default class of LVM Storage, whose volumes only one node can " +
				"use at a time"},
		{Name: NoKVM,
			Description: "no node can run virtual machines: two have no /dev/kvm, KubeVirt cannot schedule to the " +
				"third"},
		{Name: HCODegraded, Description: "HyperConverged is Degraded, because CDI is Degraded"},
		{Name: PoolEmpty, Description: "all addresses of the MetalLB pool are in use", Scope: Provisioned},
		{Name: PoolOverlap, Scope: Provisioned,
			Description: "a second MetalLB pool contains addresses of nodes and of the API"},
		{Name: NoAdvertisement, Scope: Provisioned,
			Description: "the only L2Advertisement selects a pool that does not exist"},
		{Name: ComponentStuck,
			Description: "multicluster-engine's component hive never becomes available: no node fits its pod"},
		{Name: LocalNamespaceExists, Scope: Bare,
			Description: "namespace local-cluster exists already, so multicluster-engine cannot create its " +
				"ManagedCluster"},
		{Name: RenamedLocalCluster, Scope: Provisioned,
			Description: "nothing goes wrong: the ManagedCluster of this cluster is called hub (MCE 2.9 and later)"},
		{Name: AddonDegraded,
			Description: "hypershift-addon is Available but Degraded: one replica of HyperShift's operator is not " +
				"ready"},
		{Name: IngressRolloutSlow, Duration: time.Minute, Scope: Bare,
			Description: "the routers are replaced slowly, one at a time"},
		{Name: APIServerRestart, Duration: RestartTime, Scope: Bare,
			Description: "the API server stops once during the installation, and restarts at the same address"},
		{Name: RBACRestricted,
			Description: "the user of DIR/kubeconfig-restricted may not create Subscriptions, patch IngressControllers " +
				"or read Secrets"},
		{Name: AppsDNSMissing,
			Description: "no DNS record leads to *.apps of hosted clusters with their own base domain"},
		{Name: MachineHeld, Description: "a deleted NodePool stays: one of its virtual machines has a finalizer"},
		{Name: ControlPlaneHeld,
			Description: "a deleted HostedControlPlane stays: the control plane operator is not ready"},
		{Name: NamespaceHeld,
			Description: "the namespace of a deleted control plane stays: a ConfigMap in it has a finalizer"},
		{Name: CloudResourcesRemain,
			Description: "a Service of type LoadBalancer inside hosted clusters cannot be removed, so their deletion " +
				"waits until the operator gives up"},
		{Name: ClaimLeft,
			Description: "the namespace of a deleted control plane stays: a volume claim in it is the source of a " +
				"snapshot"},
		{Name: BalancerLeft,
			Description: "the namespace of a deleted control plane stays: the load balancer of a Service in it is not " +
				"removed"},
		{Name: VMNoCapacity, Scope: Provisioned,
			Description: "the workers have too little memory for a virtual machine: the pods of virtual machines " +
				"cannot be scheduled"},
		{Name: VMImageImport, Scope: Provisioned,
			Description: "the boot image of virtual machines cannot be pulled, so their DataVolumes stay in " +
				"ImportInProgress"},
		{Name: VMImportPending, Scope: Provisioned,
			Description: "no node takes the pods that import boot images, so DataVolumes stay in ImportScheduled"},
		{Name: VolumeFails, Scope: Provisioned,
			Description: "no volume can be made: the provisioners of CSI drivers answer ResourceExhausted"},
		{Name: MigrationFails, Scope: Provisioned, Description: "live migrations of virtual machines fail at their end"},
		{Name: IgnitionUnreachable, Scope: Provisioned,
			Description: "virtual machines run but do not reach the ignition endpoint, so they never become nodes"},
		{Name: GuestNotUpgradeable, Scope: Provisioned,
			Description: "hosted clusters are Upgradeable=False: one of their operators does not support the next " +
				"minor"},
		{Name: UpgradeStuck, Scope: Provisioned,
			Description: "upgrades of hosted clusters never end: cluster operator monitoring is Degraded in the new " +
				"version"},
		{Name: KASUnreachable, Scope: Provisioned,
			Description: "nothing answers at the load balancers of hosted clusters, whose API servers are Available"},
		{Name: DataPlaneCut, Scope: Provisioned,
			Description: "no konnectivity agent of hosted clusters runs: DataPlaneConnectionAvailable is False"},
		{Name: ReEncryptionStuck, Scope: Provisioned,
			Description: "the re-encryption of etcd with another key never ends: EtcdDataEncryptionUpToDate is False"},
		{Name: ReEncryptionFails, Scope: Provisioned,
			Description: "etcd's data cannot be encrypted with another key: EtcdDataEncryptionUpToDate is False"},
		{Name: OperatorHangs, Scope: Provisioned,
			Description: "the operators of hosted clusters and node pools run, and do nothing: their status gets old"},
		{Name: InPlaceFails, Scope: Provisioned,
			Description: "upgrades of node pools in place fail: the machine config daemon of the first node is Degraded"},
		{Name: CSRsPending, Scope: Provisioned,
			Description: "the machine approver approves nothing: the requests of new nodes for certificates stay pending"},
		{Name: CIDRFalseAlarm,
			Description: "NodePools have ClusterNetworkCIDRConflict although everything works: the operator takes " +
				"OVN-Kubernetes' own ports for the machines'"},
	}
}

// RestartTime is the downtime of APIServerRestart, at any speed, because the speed does not divide the retry delays of
// clients.
const RestartTime = 10 * time.Second
