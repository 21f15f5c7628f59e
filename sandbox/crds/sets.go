// Package crds has the CustomResourceDefinitions of the sandbox in sets: one for a new OpenShift, and one for each
// operator. Most come from the Go modules that ship them (see sync); own has those that no module ships. The fields of
// the kinds in directory contracts come from its tables, by release.
package crds

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// The names of the sets. An operator's bundle contains the sets of its own kinds; the operator itself installs the sets
// of its operands (VirtualMachine, ManagedCluster, HostedCluster ...).
const (
	// Birth has config, operator, route, machineconfiguration, snapshot and OLM kinds.
	Birth = "birth"
	// LocalStorage has the kinds of the Local Storage Operator's bundle.
	LocalStorage = "localstorage"
	// ODF has StorageSystem, of odf-operator's bundle up to 4.18.
	ODF = "odf"
	// OCS has StorageCluster, of ocs-operator's bundle.
	OCS = "ocs"
	// OCSConsumer has StorageConsumer, of ocs-operator's bundle too; ocs-operator uses it from 4.19 on.
	OCSConsumer = "ocs-consumer"
	// OCSClient has StorageClient, of ocs-client-operator's bundle.
	OCSClient = "ocs-client"
	// Ceph has CephCluster, of rook-ceph-operator's bundle.
	Ceph = "ceph"
	// LVM has the kinds of the LVM Storage operator's bundle.
	LVM = "lvm"
	// HCO has HyperConverged, KubeVirt, CDI and HostPathProvisioner, of kubevirt-hyperconverged's bundle.
	HCO = "hco"
	// KubeVirt has VirtualMachine and VirtualMachineInstance, which virt-operator installs.
	KubeVirt = "kubevirt"
	// CDI has DataVolume and StorageProfile, which cdi-operator installs.
	CDI = "cdi"
	// MetalLB has all kinds of metallb-operator's bundle.
	MetalLB = "metallb"
	// MCE has MultiClusterEngine, of multicluster-engine's bundle.
	MCE = "mce"
	// ACM has MultiClusterHub, of advanced-cluster-management's bundle.
	ACM = "acm"
	// Klusterlet has KlusterletAddonConfig, which Advanced Cluster Management's operator installs.
	Klusterlet = "klusterlet"
	// GitOps has the kinds of openshift-gitops-operator's bundle that something here looks at. Those of Argo CD take any
	// field: the vendor's schemas are 2 MB, and Argo CD's operator is no module that the checksum database knows.
	GitOps = "gitops"
	// GitOpsCluster has the kind of that name, which Advanced Cluster Management's operator installs.
	GitOpsCluster = "gitopscluster"
	// OCM has the open-cluster-management.io kinds, which MCE installs.
	OCM = "ocm"
	// Hive has ClusterImageSet, which MCE installs.
	Hive = "hive"
	// Monitoring has PodMonitor, ServiceMonitor and PrometheusRule, permissive, for the vendor's own HyperShift.
	Monitoring = "monitoring"
	// HyperShift has the hypershift.openshift.io kinds, which the hypershift addon's install job brings.
	HyperShift = "hypershift"
	// HyperShiftNewest has them as HyperShift 4.22 and later has them.
	HyperShiftNewest = "hypershift-newest"
)

// fromModules are the sets that sync must have written.
var fromModules = []string{Birth, ODF, LVM, MetalLB, OCM, HyperShift, HyperShiftNewest}

// OfHyperShift returns the set of a HyperShift operator: version is the Y of OpenShift 4.Y.
func OfHyperShift(version int) string {
	if version >= 22 {
		return HyperShiftNewest
	}
	return HyperShift
}

//go:embed generated own
var files embed.FS

// Set returns the CRDs of one set as a release of its operator has them, sorted by name; each call makes new ones. The
// release is OpenShift's, such as 4.20, except for MCE and OCM (multicluster engine's) and ACM (its own). It fails for
// an unknown set, and for a set whose generated part is missing from this build.
func Set(name, release string) ([]*apiextensionsv1.CustomResourceDefinition, error) {
	var out []*apiextensionsv1.CustomResourceDefinition
	own := name
	if name == HyperShiftNewest {
		own = HyperShift // Cluster API's kinds are the same
	}
	for _, dir := range []string{path.Join("generated", name), path.Join("own", own)} {
		entries, err := files.ReadDir(dir)
		switch {
		case errors.Is(err, fs.ErrNotExist) && dir == path.Join("generated", name) && slices.Contains(fromModules, name):
			return nil, fmt.Errorf("the CRDs of set %q were not built in: run `go run ./crds/sync` in the sandbox directory "+
				"and build again", name)
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, fmt.Errorf("read CRDs of set %q: %w", name, err)
		}
		for _, e := range entries {
			crd, err := read(path.Join(dir, e.Name()))
			if err != nil {
				return nil, err
			}
			if err := setSchemas(crd, release); err != nil {
				return nil, err
			}
			out = append(out, crd)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no set of CRDs %q", name)
	}
	if _, err := files.ReadDir("generated/schemas"); err != nil {
		return nil, fmt.Errorf("the schemas of directory contracts were not built in: %w", err)
	}
	slices.SortFunc(out, func(a, b *apiextensionsv1.CustomResourceDefinition) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return out, nil
}

// one reads a single generated CRD of a set. Its file has its name.
func one(set, name string) (*apiextensionsv1.CustomResourceDefinition, error) {
	return read(path.Join("generated", set, name+".json"))
}

func read(file string) (*apiextensionsv1.CustomResourceDefinition, error) {
	raw, err := files.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read CRD %s: %w", file, err)
	}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(raw, crd); err != nil {
		return nil, fmt.Errorf("parse CRD %s: %w", file, err)
	}
	amend(crd)
	return crd, nil
}

// amend adds the scale subresource of NodePools, which the module's partial manifest lacks. The type's markers and the
// product's documents (`oc scale nodepool`) have it.
func amend(crd *apiextensionsv1.CustomResourceDefinition) {
	if crd.Name != "nodepools.hypershift.openshift.io" {
		return
	}
	for i := range crd.Spec.Versions {
		if s := crd.Spec.Versions[i].Subresources; s != nil && s.Scale == nil {
			s.Scale = &apiextensionsv1.CustomResourceSubresourceScale{
				SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas",
			}
		}
	}
}
