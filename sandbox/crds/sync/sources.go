package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// module is a Go module that ships CRDs. Without a version, the go.mod in directory at (the sandbox's own, or a
// helper's) has the version; with one, sync downloads the module and nothing imports it.
type module struct{ path, version, at string }

// source is the CRDs of one set in one module. They get labels, too.
type source struct {
	set    string
	module module
	files  []string
	labels map[string]string
}

var (
	openshiftAPI = module{path: "github.com/openshift/api", at: "."}
	ocmAPI       = module{path: "open-cluster-management.io/api", at: "."}
)

var sources = []source{
	{set: "birth", module: openshiftAPI, files: []string{
		"config/v1/zz_generated.crd-manifests/0000_00_cluster-version-operator_01_clusteroperators.crd.yaml",
		"config/v1/zz_generated.crd-manifests/0000_00_cluster-version-operator_01_clusterversions-Default.crd.yaml",
		"config/v1/zz_generated.crd-manifests/0000_03_marketplace_01_operatorhubs.crd.yaml",
		"payload-manifests/crds/0000_03_config-operator_01_proxies.crd.yaml",
		"payload-manifests/crds/0000_10_config-operator_01_apiservers-Default.crd.yaml",
		"payload-manifests/crds/0000_10_config-operator_01_authentications-Default.crd.yaml",
		"payload-manifests/crds/0000_10_config-operator_01_dnses-Default.crd.yaml",
		"payload-manifests/crds/0000_10_config-operator_01_featuregates.crd.yaml",
		"payload-manifests/crds/0000_10_config-operator_01_imagedigestmirrorsets.crd.yaml",
		"payload-manifests/crds/0000_10_config-operator_01_images.crd.yaml",
		"payload-manifests/crds/0000_10_config-operator_01_imagetagmirrorsets.crd.yaml",
		"payload-manifests/crds/0000_10_config-operator_01_infrastructures-Default.crd.yaml",
		"payload-manifests/crds/0000_10_config-operator_01_ingresses-Default.crd.yaml",
		"payload-manifests/crds/0000_10_config-operator_01_networks-Default.crd.yaml",
		"payload-manifests/crds/0000_10_config-operator_01_oauths.crd.yaml",
		"payload-manifests/crds/0000_10_config-operator_01_schedulers-SelfManagedHA-Default.crd.yaml",
		"payload-manifests/crds/0000_80_machine-config_01_kubeletconfigs-Default.crd.yaml",
		"payload-manifests/crds/0000_80_machine-config_01_machineconfigpools-SelfManagedHA.crd.yaml",
		"operator/v1/zz_generated.crd-manifests/0000_50_ingress_00_ingresscontrollers-Default.crd.yaml",
		"operator/v1/zz_generated.crd-manifests/0000_70_network_01_networks-Default.crd.yaml",
		"operator/v1alpha1/zz_generated.crd-manifests/0000_10_config-operator_01_imagecontentsourcepolicies.crd.yaml",
		"route/v1/zz_generated.crd-manifests/routes.crd.yaml",
	}},
	{set: "birth", module: module{path: "github.com/operator-framework/api", at: "."},
		files: []string{"crds/operators.coreos.com_*.yaml"}},
	{
		set: "birth", module: module{path: "github.com/kubernetes-csi/external-snapshotter/client/v8", version: "v8.2.0"},
		files: []string{"config/crd/snapshot.storage.k8s.io_*.yaml"},
	},
	{
		set: "hypershift", module: module{path: "github.com/openshift/hypershift/api", at: "."},
		files: []string{"hypershift/v1beta1/zz_generated.featuregated-crd-manifests/*/AAA_ungated.yaml"},
	},
	// No module of the API itself has the fields of 4.22: the module proxy has none newer than that of 4.21.
	{
		set: "hypershift-newest", module: module{path: "github.com/openshift/hypershift", version: "v0.1.81"},
		files: []string{
			newestCRDs + "awsendpointservices.crd.yaml", newestCRDs + "certificatesigningrequestapprovals.crd.yaml",
			newestCRDs + "controlplanecomponents.crd.yaml", newestCRDs + "hostedclusters-Hypershift-Default.crd.yaml",
			newestCRDs + "hostedcontrolplanes-Hypershift-Default.crd.yaml", newestCRDs + "nodepools-Default.crd.yaml",
		},
	},
	// MCE stores the addon's v1alpha1. The v1beta1 manifests have the same names.
	{set: "ocm", module: ocmAPI, files: []string{
		"cluster/v1/*.crd.yaml", "cluster/v1alpha1/*.crd.yaml", "cluster/v1beta1/*.crd.yaml", "cluster/v1beta2/*.crd.yaml",
		"addon/v1alpha1/*.crd.yaml", "work/v1/*.crd.yaml", "work/v1alpha1/*.crd.yaml", "operator/v1/*.crd.yaml",
	}},
	{
		set: "metallb", module: module{path: "go.universe.tf/metallb", at: "metallb"},
		files: []string{"config/crd/bases/metallb.io_*.yaml"},
	},
	{
		set: "lvm", module: module{path: "github.com/openshift/lvm-operator/v4", version: "v4.20.0"},
		files: []string{"config/crd/bases/*.yaml"},
	},
	{
		set: "odf", module: module{path: "github.com/red-hat-storage/odf-operator",
			version: "v0.0.0-20240717091720-abe8dbc878d3"},
		files: []string{"config/crd/bases/odf.openshift.io_storagesystems.yaml"},
	},
}

// newestCRDs is the directory of the CRDs that HyperShift 4.22 and later installs.
const newestCRDs = "cmd/install/assets/crds/hypershift-operator/zz_generated.crd-manifests/"

// vendor is HyperShift itself. Its command install embeds these CRDs.
var vendor = module{path: "github.com/openshift/hypershift", at: "real/hypershift"}

// contract is the label by which Cluster API finds the version of a provider's kind. install adds it as here.
const contract = "cluster.x-k8s.io/v1beta1"

// realSources are the CRDs that HyperShift's command install creates for platform KubeVirt.
var realSources = []source{
	{module: vendor, files: []string{
		"cmd/install/assets/cluster-api/*.yaml",
		"cmd/install/assets/hypershift-operator/*.yaml",
		"cmd/install/assets/hypershift-operator/zz_generated.crd-manifests/awsendpointservices.crd.yaml",
		"cmd/install/assets/hypershift-operator/zz_generated.crd-manifests/controlplanecomponents.crd.yaml",
		"cmd/install/assets/hypershift-operator/zz_generated.crd-manifests/hostedclusters-Default.crd.yaml",
		"cmd/install/assets/hypershift-operator/zz_generated.crd-manifests/nodepools-Default.crd.yaml",
		"cmd/install/assets/cluster-api-provider-kubevirt/*_kubevirtclustertemplates.yaml",
	}},
	{module: vendor, files: []string{
		"cmd/install/assets/hypershift-operator/zz_generated.crd-manifests/hostedcontrolplanes-Default.crd.yaml",
	}, labels: map[string]string{contract: "v1beta1"}},
	{module: vendor, files: []string{
		"cmd/install/assets/cluster-api-provider-kubevirt/*_kubevirtclusters.yaml",
		"cmd/install/assets/cluster-api-provider-kubevirt/*_kubevirtmachines.yaml",
		"cmd/install/assets/cluster-api-provider-kubevirt/*_kubevirtmachinetemplates.yaml",
	}, labels: map[string]string{contract: "v1alpha1"}},
	// OpenShift's own: with it, a control plane gets the pods' security contexts as on OpenShift.
	{module: openshiftAPI, files: []string{
		"security/v1/zz_generated.crd-manifests/0000_03_config-operator_01_securitycontextconstraints.crd.yaml",
	}},
}

// dir returns the module's directory in the module cache, and downloads the module if needed.
func (m module) dir() (string, error) {
	at := m.at
	if m.version == "" {
		out, err := goTool(at, "list", "-m", "-json", m.path)
		if err != nil {
			return "", err
		}
		var listed struct{ Version, Dir string }
		if err := json.Unmarshal(out, &listed); err != nil {
			return "", fmt.Errorf("go list %s: %w", m.path, err)
		}
		if listed.Dir != "" {
			return listed.Dir, nil
		}
		m.version = listed.Version
	}
	out, err := goTool(at, "mod", "download", "-json", m.path+"@"+m.version)
	if err != nil {
		return "", err
	}
	var got struct{ Dir string }
	if err := json.Unmarshal(out, &got); err != nil {
		return "", fmt.Errorf("go mod download %s: %w", m.path, err)
	}
	return got.Dir, nil
}

func goTool(dir string, args ...string) ([]byte, error) {
	var stderr bytes.Buffer
	cmd := exec.Command("go", args...) // #nosec G204 -- arguments from the table above
	cmd.Dir, cmd.Stderr = dir, &stderr
	cmd.Env = append(os.Environ(), "GOWORK=off")
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %v in %s: %w: %s%s", args, dir, err, stderr.Bytes(), out)
	}
	return out, nil
}
