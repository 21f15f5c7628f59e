package programs

import (
	"fmt"
	"net"
	"os"
	"path/filepath"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// files are the paths of what the programs read.
type files struct {
	kubeconfig, trust string
	// webhooks is a directory with a certificate for the webhook servers: HyperShift's, and those that Cluster API cannot
	// do without.
	webhooks string
}

// writeFiles writes them into the sandbox's scratch directory, readable by their owner only.
func (w *world) writeFiles(env operator.Env) (files, error) {
	f := files{
		kubeconfig: filepath.Join(env.Dir, "hypershift.kubeconfig"), trust: filepath.Join(env.Dir, "registry-ca.crt"),
		webhooks: filepath.Join(env.Dir, "webhook-certs"),
	}
	kubeconfig, err := kubeconfigOf(env.Config)
	if err != nil {
		return f, err
	}
	cert, key, err := guest.SelfSigned("localhost", net.IPv4(127, 0, 0, 1))
	if err != nil {
		return f, err
	}
	if err := os.MkdirAll(f.webhooks, 0o700); err != nil {
		return f, fmt.Errorf("make directory for certificates: %w", err)
	}
	for path, data := range map[string][]byte{
		f.kubeconfig: kubeconfig, f.trust: w.registry.CA,
		filepath.Join(f.webhooks, "tls.crt"): cert, filepath.Join(f.webhooks, "tls.key"): key,
	} {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return f, fmt.Errorf("write a file for HyperShift: %w", err)
		}
	}
	return f, nil
}

func kubeconfigOf(config *rest.Config) ([]byte, error) {
	loaded := rest.CopyConfig(config)
	if err := rest.LoadTLSFiles(loaded); err != nil {
		return nil, fmt.Errorf("read certificates: %w", err)
	}
	c := clientcmdapi.NewConfig()
	c.Clusters["sandbox"] = &clientcmdapi.Cluster{Server: loaded.Host, CertificateAuthorityData: loaded.CAData}
	c.AuthInfos["operator"] = &clientcmdapi.AuthInfo{ClientCertificateData: loaded.CertData,
		ClientKeyData: loaded.KeyData, Token: loaded.BearerToken}
	c.Contexts["sandbox"] = &clientcmdapi.Context{Cluster: "sandbox", AuthInfo: "operator"}
	c.CurrentContext = "sandbox"
	return clientcmd.Write(*c)
}
