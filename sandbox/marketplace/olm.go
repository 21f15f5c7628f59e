package marketplace

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/sandbox/catalog"
	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// helper is the program that runs OLM and serves the catalogs (sandbox/olm).
const helper = "olm"

// minRetry is how long OLM tries an InstallPlan at least, at any speed. An InstallPlan that will succeed can have
// temporary errors too.
const minRetry = 5 * time.Second

// child is the running OLM.
type child struct {
	// addresses of the served catalogs, by name.
	addresses map[string]string
	ended     <-chan struct{}
}

// startOLM writes the catalogs as files and starts OLM with them. It returns once OLM serves the catalogs.
func startOLM(ctx, life context.Context, env operator.Env, catalogs []catalog.Catalog) (*child, error) {
	root := filepath.Join(env.Dir, "catalogs")
	addresses := filepath.Join(root, "addresses.json")
	kubeconfig := filepath.Join(env.Dir, "kubeconfig.olm")
	if err := writeKubeconfig(kubeconfig, env.Config); err != nil {
		return nil, err
	}
	args := []string{"--kubeconfig", kubeconfig, "--namespace", marketNamespace, "--addresses", addresses,
		"--speed", strconv.FormatFloat(env.Pace.Speed, 'f', -1, 64)}
	if env.Faults.Has(fault.InstallPlanFailed) {
		args = append(args, "--install-plan-retry-timeout", max(minRetry, env.Pace.Scale(time.Minute)).String())
	}
	for _, c := range catalogs {
		dir := filepath.Join(root, c.Name)
		if err := c.Write(dir); err != nil {
			return nil, err
		}
		args = append(args, "--catalog", c.Name+"="+dir)
		wish, err := recordedAddress(ctx, env.Client, c.Name)
		if err != nil {
			return nil, err
		}
		if wish != "" {
			args = append(args, "--listen", c.Name+"="+wish)
		}
	}
	if err := os.Remove(addresses); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err // OLM writes the file once it serves the catalogs
	}
	ended, err := env.Processes.Keep(life, helper, helper, args, environment(root))
	if err != nil {
		return nil, err
	}
	found, err := readAddresses(ctx, addresses, ended)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", helper, err)
	}
	return &child{addresses: found, ended: ended}, nil
}

// environment returns OLM's own environment: a directory for the catalogs' caches, and no watch-lists. With these,
// client-go transforms a copied CSV twice, so OLM takes it for outdated and writes it again at every sync.
func environment(caches string) []string {
	return []string{"TMPDIR=" + caches, "KUBE_FEATURE_WatchListClient=false"}
}

// readAddresses waits for the file with the addresses of the served catalogs.
func readAddresses(ctx context.Context, file string, ended <-chan struct{}) (addresses map[string]string, err error) {
	err = poll(ctx, ended, func() (bool, error) {
		raw, err := os.ReadFile(file) // #nosec G304 -- in our own directory
		if errors.Is(err, fs.ErrNotExist) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		return true, json.Unmarshal(raw, &addresses)
	})
	return addresses, err
}

func writeKubeconfig(path string, c *rest.Config) error {
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters["sandbox"] = &clientcmdapi.Cluster{
		Server: c.Host, CertificateAuthorityData: c.CAData, CertificateAuthority: c.CAFile, TLSServerName: c.ServerName,
	}
	cfg.AuthInfos["admin"] = &clientcmdapi.AuthInfo{
		ClientCertificateData: c.CertData, ClientKeyData: c.KeyData, ClientCertificate: c.CertFile, ClientKey: c.KeyFile,
		Token: c.BearerToken, TokenFile: c.BearerTokenFile,
	}
	cfg.Contexts["admin"] = &clientcmdapi.Context{Cluster: "sandbox", AuthInfo: "admin"}
	cfg.CurrentContext = "admin"
	raw, err := clientcmd.Write(*cfg)
	if err != nil {
		return fmt.Errorf("kubeconfig for OLM: %w", err)
	}
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		return fmt.Errorf("kubeconfig for OLM: %w", err)
	}
	return nil
}
