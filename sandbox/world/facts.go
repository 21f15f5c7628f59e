package world

import (
	"encoding/base64"

	"github.com/hcctl/hcctl/sandbox/profile"
)

// installed is when the cluster says it was installed: long before any sandbox starts.
const installed = "2026-01-15T09:30:00Z"

// kubelet is the Kubernetes version nodes of that OpenShift report: its minor is OpenShift's plus 13. The API server
// says 1.36, which is what it is. Guess: the patch versions.
func kubelet(p profile.Profile) string {
	switch p.Minor() {
	case "4.12":
		return "v1.25.14+bcb9a60"
	default:
		return "v1.33.5"
	}
}

// clusterOperators are those of a bare-metal OpenShift, the same in 4.12 and 4.20 but for olm, which only later ones
// have and nobody here asks for.
var clusterOperators = []string{
	"authentication", "baremetal", "cloud-controller-manager", "cloud-credential", "cluster-autoscaler", "config-operator",
	"console", "control-plane-machine-set", "csi-snapshot-controller", "dns", "etcd", "image-registry", "ingress", "insights",
	"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-storage-version-migrator", "machine-api",
	"machine-approver", "machine-config", "marketplace", "monitoring", "network", "node-tuning", "openshift-apiserver",
	"openshift-controller-manager", "openshift-samples", "operator-lifecycle-manager", "operator-lifecycle-manager-catalog",
	"operator-lifecycle-manager-packageserver", "service-ca", "storage",
}

func encode(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
