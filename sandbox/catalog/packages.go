package catalog

import (
	"fmt"

	"github.com/blang/semver/v4"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// PackagesConfigEnv is the environment variable of odf-operator with the name of its ConfigMap (4.19 and later).
const PackagesConfigEnv = "PKGS_CONFIG_MAP_NAME"

// PackageRecord is one value of odf-operator's ConfigMap of the packages that it looks after, as YAML.
type PackageRecord struct {
	Channel string `json:"channel"`
	CSV     string `json:"csv"`
	Package string `json:"pkg"`
	// ScaleUpOnInstanceOf are CRDs: the package's operator has no pods until one of them has an object.
	ScaleUpOnInstanceOf []string `json:"scaleUpOnInstanceOf,omitempty"`
}

// packagesConfig is that ConfigMap, with the packages that the sandbox's catalog has. Channels and versions are those
// of the catalog.
func packagesConfig(version semver.Version) (*corev1.ConfigMap, error) {
	const cephClusters = "cephclusters.ceph.rook.io"
	records := map[string]PackageRecord{
		"OCS":        {Package: "ocs-operator", ScaleUpOnInstanceOf: []string{"storageclusters.ocs.openshift.io"}},
		"OCS_CLIENT": {Package: "ocs-client-operator", ScaleUpOnInstanceOf: []string{cephClusters}},
		"ODF_DEPS":   {Package: "odf-dependencies"},
	}
	if version.Minor >= 21 {
		records["OCS_CLIENT"] = PackageRecord{Package: "ocs-client-operator",
			ScaleUpOnInstanceOf: []string{"storageclients.ocs.openshift.io", cephClusters}}
	}
	config := &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Name: "odf-operator-pkgs-config-" + version.String()},
		Data:       map[string]string{},
	}
	for key, record := range records {
		record.Channel = fmt.Sprintf("stable-%d.%d", version.Major, version.Minor)
		record.CSV = record.Package + ".v" + version.String()
		raw, err := yaml.Marshal(record)
		if err != nil {
			return nil, fmt.Errorf("ConfigMap %s: %w", config.Name, err)
		}
		config.Data[key] = string(raw)
	}
	return config, nil
}
