package crds_test

import (
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"

	"github.com/hcctl/hcctl/sandbox/crds"
)

// releases of OpenShift, and of multicluster engine and Advanced Cluster Management for their own sets.
func releases(set string) []string {
	switch set {
	case crds.MCE, crds.OCM:
		return strings.Fields("2.2 2.3 2.4 2.5 2.6 2.7 2.8 2.9 2.10 2.11")
	case crds.ACM, crds.GitOpsCluster:
		return strings.Fields("2.7 2.8 2.9 2.10 2.11 2.12 2.13 2.14 2.15 2.16")
	}
	return strings.Fields("4.12 4.13 4.14 4.15 4.16 4.17 4.18 4.19 4.20 4.21")
}

var sets = []string{crds.Birth, crds.LocalStorage, crds.ODF, crds.OCS, crds.Ceph, crds.LVM, crds.HCO, crds.KubeVirt,
	crds.CDI, crds.MetalLB, crds.MCE, crds.ACM, crds.Klusterlet, crds.GitOps, crds.GitOpsCluster, crds.OCM, crds.Hive,
	crds.HyperShift}

// An API server takes every CRD of every release.
func TestEverySetIsValidInEveryRelease(t *testing.T) {
	for _, set := range sets {
		for _, release := range releases(set) {
			list, err := crds.Set(set, release)
			if err != nil {
				t.Fatal(err)
			}
			for _, crd := range list {
				for _, v := range crd.Spec.Versions {
					if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
						t.Fatalf("%s %s %s has no schema", crd.Name, release, v.Name)
					}
					internal := &apiextensions.JSONSchemaProps{}
					if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(
						v.Schema.OpenAPIV3Schema, internal, nil); err != nil {
						t.Fatal(err)
					}
					structural, err := structuralschema.NewStructural(internal)
					if err != nil {
						t.Fatalf("%s %s %s: %v", crd.Name, release, v.Name, err)
					}
					if errs := structuralschema.ValidateStructural(nil, structural); len(errs) > 0 {
						t.Errorf("%s %s %s: %v", crd.Name, release, v.Name, errs)
					}
				}
			}
		}
	}
}

// field returns the schema at a path, or nil. "[]" are a list's elements.
func field(t *testing.T, set, release, name string, path ...string) *apiextensionsv1.JSONSchemaProps {
	t.Helper()
	list, err := crds.Set(set, release)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(c *apiextensionsv1.CustomResourceDefinition) bool {
		return strings.HasPrefix(c.Name, name+".")
	})
	if i < 0 {
		t.Fatalf("%s %s has no %s", set, release, name)
	}
	s := list[i].Spec.Versions[0].Schema.OpenAPIV3Schema
	for _, p := range path {
		if p == "[]" {
			s = s.Items.Schema
			continue
		}
		next, ok := s.Properties[p]
		if !ok {
			return nil
		}
		s = &next
	}
	return s
}

func TestFieldsComeAndGo(t *testing.T) {
	class := []string{"spec", "storage", "deviceClasses", "[]"}
	for _, tc := range []struct {
		set, name    string
		path         []string
		without, has string
	}{
		{crds.LVM, "lvmclusters", append(slices.Clone(class), "default"), "4.12", "4.13"},
		{crds.LVM, "lvmclusters", append(slices.Clone(class), "fstype"), "4.13", "4.14"},
		{crds.MetalLB, "ipaddresspools", []string{"spec", "serviceAllocation"}, "4.12", "4.13"},
		{crds.MetalLB, "ipaddresspools", []string{"status", "assignedIPv4"}, "4.18", "4.19.1"},
		{crds.MCE, "multiclusterengines", []string{"spec", "localClusterName"}, "2.8.1", "2.9.0"},
		{crds.ACM, "multiclusterhubs", []string{"spec", "localClusterName"}, "2.13", "2.14"},
		{crds.OCS, "storageclusters", []string{"spec", "managedResources", "cephBlockPools", "disableStorageClass"}, "4.20",
			"4.19"},
		// Of a release that nobody has read, the nearest is taken.
		{crds.LVM, "lvmclusters", append(slices.Clone(class), "default"), "4.11", "4.22"},
	} {
		if field(t, tc.set, tc.without, tc.name, tc.path...) != nil {
			t.Errorf("%s %s has %v", tc.name, tc.without, tc.path)
		}
		if field(t, tc.set, tc.has, tc.name, tc.path...) == nil {
			t.Errorf("%s %s has no %v", tc.name, tc.has, tc.path)
		}
	}
}

func TestSetRefuses(t *testing.T) {
	for set, release := range map[string]string{"flowers": "4.20", crds.LVM: "newest"} {
		if _, err := crds.Set(set, release); err == nil {
			t.Errorf("there is a set %q of release %q", set, release)
		}
	}
}
