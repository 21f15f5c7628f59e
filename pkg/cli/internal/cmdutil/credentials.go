package cmdutil

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/safefile"
)

// credential is a kind of credential that is in use on this machine.
type credential string

// The kinds, as messages call them.
const (
	kubeconfigInUse credential = "a kubeconfig in use here"
	registryLogin   credential = "a registry login of yours"
	sshPrivateKey   credential = "a private SSH key of yours"
	podToken        credential = "the token of this pod"
	backupKey       credential = "a key that opens backups"
)

// podTokenFile is where a pod has the token of its ServiceAccount.
const podTokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token" //nolint:gosec // a path

// maxCredential limits a file of credentials in bytes; larger ones are known by their identity only.
const maxCredential = 1 << 20

// ageKey begins every private key of age.
var ageKey = []byte("AGE-SECRET-KEY-1")

// credentials are those in use on this machine: the files, and the values in them.
type credentials struct {
	files  map[credential][]fs.FileInfo
	values map[credential]*redact.Redactor
}

// credentialsInUse reads the user's own credentials, once. What cannot be read is not in use.
func (a *Factory) credentialsInUse() *credentials {
	if a.credentials != nil {
		return a.credentials
	}
	c := &credentials{map[credential][]fs.FileInfo{}, map[credential]*redact.Redactor{}}
	a.credentials = c
	rules := KubeconfigFiles(a, "")
	for _, path := range append(append(rules.GetLoadingPrecedence(), rules.GetEnvVarFiles()...),
		clientcmd.RecommendedHomeFile) {
		c.kubeconfig(path)
	}
	c.user(&a.KubeFlags.Overrides.AuthInfo)
	for _, path := range a.registryLogins() {
		c.learn(registryLogin, c.file(registryLogin, path))
	}
	c.learn(podToken, c.file(podToken, podTokenFile))
	home, err := os.UserHomeDir()
	if err != nil {
		return c
	}
	keys, _ := filepath.Glob(filepath.Join(home, ".ssh", "*")) // the pattern is valid
	for _, path := range keys {
		if data, err := safefile.Read(path, maxCredential); err == nil && bytes.Contains(data, []byte("PRIVATE KEY")) {
			c.learn(sshPrivateKey, c.file(sshPrivateKey, path))
		}
	}
	return c
}

// registryLogins are the files in which docker, podman and skopeo keep logins.
func (a *Factory) registryLogins() []string {
	home, _ := os.UserHomeDir() // without one the paths lead nowhere
	paths := []string{a.Getenv("REGISTRY_AUTH_FILE"), filepath.Join(home, ".docker", "config.json"),
		filepath.Join(home, ".config", "containers", "auth.json")}
	for variable, below := range map[string]string{"DOCKER_CONFIG": "config.json", "XDG_RUNTIME_DIR": "containers/auth.json",
		"XDG_CONFIG_HOME": "containers/auth.json"} {
		if dir := a.Getenv(variable); dir != "" {
			paths = append(paths, filepath.Join(dir, filepath.FromSlash(below)))
		}
	}
	return paths
}

// file adds a file, and returns its content.
func (c *credentials) file(kind credential, path string) []byte {
	info, err := os.Stat(path)
	if path == "" || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	c.files[kind] = append(c.files[kind], info)
	data, err := safefile.Read(path, maxCredential)
	if err != nil {
		return nil
	}
	return data
}

// learn adds a value, and the values within it.
func (c *credentials) learn(kind credential, value []byte) {
	if len(value) == 0 {
		return
	}
	if c.values[kind] == nil {
		c.values[kind] = &redact.Redactor{}
	}
	c.values[kind].Learn(map[string][]byte{"value": value})
	c.values[kind].Learn(map[string][]byte{"value": []byte(redact.Unbroken(string(value)))})
}

// kubeconfig adds a kubeconfig, and the files with credentials that it names.
func (c *credentials) kubeconfig(path string) {
	config, err := clientcmd.Load(c.file(kubeconfigInUse, path))
	if err != nil {
		return
	}
	for _, user := range config.AuthInfos {
		user.LocationOfOrigin = path
	}
	if clientcmd.ResolveLocalPaths(config) != nil {
		return
	}
	for _, user := range config.AuthInfos {
		c.user(user)
	}
}

func (c *credentials) user(user *api.AuthInfo) {
	key := append(user.ClientKeyData, c.file(kubeconfigInUse, user.ClientKey)...)
	for _, value := range [][]byte{[]byte(user.Token), []byte(user.Password), key,
		[]byte(base64.StdEncoding.EncodeToString(key)), bytes.TrimSpace(c.file(kubeconfigInUse, user.TokenFile))} {
		c.learn(kubeconfigInUse, value)
	}
}

// find returns the kind of a file that is, or holds, a credential in use; empty if it is none.
func (c *credentials) find(info fs.FileInfo, data []byte) credential {
	for kind, files := range c.files {
		for _, file := range files {
			if info != nil && os.SameFile(file, info) {
				return kind
			}
		}
	}
	if bytes.Contains(data, ageKey) {
		return backupKey
	}
	for kind, values := range c.values {
		if values.Knows(data) {
			return kind
		}
	}
	return ""
}
