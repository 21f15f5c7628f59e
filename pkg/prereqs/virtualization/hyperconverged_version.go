package virtualization

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
)

// hyperConvergedVersion returns the version that its operator reports, or "".
func hyperConvergedVersion(hc *unstructured.Unstructured) string {
	for _, v := range kube.Maps(hc, "status", "versions") {
		if prereq.Text(v, "name") == "operator" {
			return prereq.Text(v, "version")
		}
	}
	return ""
}

// hyperConvergedRights returns the rights to read HyperConvergeds in the stored version.
func hyperConvergedRights() []access.Rule {
	return []access.Rule{storedVersion(),
		{Verbs: "list", Resources: "hyperconvergeds.hco.kubevirt.io", Why: "virtualization"}}
}

func storedVersion() access.Rule {
	return access.Rule{Verbs: "get", Resources: "customresourcedefinitions.apiextensions.k8s.io",
		Names: "hyperconvergeds.hco.kubevirt.io", Why: "which version of it is stored"}
}
