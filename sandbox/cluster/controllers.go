package cluster

import (
	"path/filepath"
	"strings"

	"github.com/hcctl/hcctl/sandbox/cluster/apiserver"
	"github.com/hcctl/hcctl/sandbox/cluster/roles"
)

// controllers are the ones of kube-controller-manager that a sandbox needs. There is no node lifecycle controller, as
// simulated nodes never fail, and none that aggregates roles, which would write the large ones at every new CRD. The
// sandbox deletes namespaces itself.
var controllers = []string{
	"garbage-collector-controller", "serviceaccount-controller", "serviceaccount-token-controller",
	"root-ca-certificate-publisher-controller", "deployment-controller", "replicaset-controller", "statefulset-controller",
	"daemonset-controller", "job-controller", "cronjob-controller", "ttl-after-finished-controller",
	"persistentvolumeclaim-protection-controller", "persistentvolume-protection-controller",
	"persistentvolume-binder-controller",
	"endpoints-controller", "endpointslice-controller", "resourcequota-controller", "disruption-controller",
	"certificatesigningrequest-signing-controller",
}

// controllerManagerArgs runs all controllers as cluster admin, without an RBAC role for each.
func controllerManagerArgs(s *apiserver.Server, kubeconfig, release string) []string {
	return append([]string{
		roles.ControllerManager,
		"--kubeconfig=" + kubeconfig, "--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
		"--controllers=" + strings.Join(controllers, ","), "--leader-elect=false", "--secure-port=0", "--profiling=false",
		"--root-ca-file=" + filepath.Join(s.Dir, "ca.crt"),
		"--service-account-private-key-file=" + filepath.Join(s.Dir, "accounts.key"),
		"--cluster-signing-cert-file=" + filepath.Join(s.Dir, "ca.crt"),
		"--cluster-signing-key-file=" + filepath.Join(s.Dir, "ca.key"),
		"--use-service-account-credentials=false", "--kube-api-qps=1000", "--kube-api-burst=2000",
		"--pvclaimbinder-sync-period=1s", "--controller-start-interval=0s", "--min-resync-period=1h",
		"--v=1",
	}, emulate(release)...)
}

func schedulerArgs(kubeconfig, release string) []string {
	return append([]string{
		roles.Scheduler,
		"--kubeconfig=" + kubeconfig, "--authentication-kubeconfig=" + kubeconfig, "--authorization-kubeconfig=" + kubeconfig,
		"--leader-elect=false", "--secure-port=0", "--profiling=false", "--kube-api-qps=1000", "--kube-api-burst=2000",
		"--v=1",
	}, emulate(release)...)
}

// emulate has a program of the sandbox's own Kubernetes behave as that of an older API server, which lacks newer kinds;
// "" is the sandbox's own.
func emulate(release string) []string {
	if release == "" {
		return nil
	}
	return []string{"--emulated-version=" + release}
}
