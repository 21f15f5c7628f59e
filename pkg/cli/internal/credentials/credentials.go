// Package credentials finds the credentials in use on this machine: kubeconfigs, registry logins, private keys.
// A file that a user or a document names must not bring one of them into a cluster.
package credentials

import (
	"bytes"
	"encoding/base64"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/internal/redact"
	"github.com/hcctl/hcctl/internal/safefile"
)

// Kind is a kind of credential.
type Kind string

// Kinds of credentials, with the words of messages.
const (
	Kubeconfig    Kind = "a kubeconfig in use here"
	RegistryLogin Kind = "a registry login of yours"
	SSHKey        Kind = "a private SSH key of yours"
	PodToken      Kind = "the token of this pod"
	BackupKey     Kind = "a key that opens backups"
)

// podTokenFile is the path of the ServiceAccount token in a pod.
const podTokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token" //nolint:gosec // a path

// maxCredentialBytes limits a file of credentials. Larger files are recognized only as the same file, not by
// their content.
const maxCredentialBytes = 1 << 20

// ageKey is the prefix of every private key of age.
var ageKey = []byte("AGE-SECRET-KEY-1")

// InUse holds the credentials in use on this machine: the files, and the values in them.
type InUse struct {
	files  map[Kind][]fs.FileInfo
	values map[Kind]*redact.Redactor
}

// Read reads the credentials of the user: those of the kubeconfigs, of the connection flags, and of the files
// that the environment names. It ignores what it cannot read.
func Read(kubeconfigs *clientcmd.PathOptions, flags *api.AuthInfo, getenv func(string) string) *InUse {
	c := &InUse{map[Kind][]fs.FileInfo{}, map[Kind]*redact.Redactor{}}
	for _, path := range append(append(kubeconfigs.GetLoadingPrecedence(), kubeconfigs.GetEnvVarFiles()...),
		clientcmd.RecommendedHomeFile) {
		c.kubeconfig(path)
	}
	c.user(flags)
	for _, path := range registryLogins(getenv) {
		c.learn(RegistryLogin, c.file(RegistryLogin, path))
	}
	c.learn(PodToken, c.file(PodToken, podTokenFile))
	home, err := os.UserHomeDir()
	if err != nil {
		return c
	}
	keys, _ := os.ReadDir(filepath.Join(home, ".ssh")) // without the directory there are no keys
	for _, key := range keys {
		path := filepath.Join(home, ".ssh", key.Name())
		if data, err := safefile.Read(path, maxCredentialBytes); err == nil && bytes.Contains(data, []byte("PRIVATE KEY")) {
			c.learn(SSHKey, c.file(SSHKey, path))
		}
	}
	return c
}

// registryLogins returns the files in which docker, podman and skopeo store logins.
func registryLogins(getenv func(string) string) []string {
	home, _ := os.UserHomeDir() // without a home directory the paths do not exist
	paths := []string{getenv("REGISTRY_AUTH_FILE"), filepath.Join(home, ".docker", "config.json"),
		filepath.Join(home, ".config", "containers", "auth.json")}
	for variable, below := range map[string]string{"DOCKER_CONFIG": "config.json",
		"XDG_RUNTIME_DIR": "containers/auth.json", "XDG_CONFIG_HOME": "containers/auth.json"} {
		if dir := getenv(variable); dir != "" {
			paths = append(paths, filepath.Join(dir, filepath.FromSlash(below)))
		}
	}
	return paths
}

// file adds a file and returns its content, or nil if it cannot be read.
func (c *InUse) file(kind Kind, path string) []byte {
	info, err := os.Stat(path)
	if path == "" || err != nil || !info.Mode().IsRegular() {
		return nil
	}
	c.files[kind] = append(c.files[kind], info)
	data, err := safefile.Read(path, maxCredentialBytes)
	if err != nil {
		return nil
	}
	return data
}

// learn adds a value, and the secrets inside it.
func (c *InUse) learn(kind Kind, value []byte) {
	if len(value) == 0 {
		return
	}
	if c.values[kind] == nil {
		c.values[kind] = &redact.Redactor{}
	}
	c.values[kind].Learn(map[string][]byte{"value": value})
	c.values[kind].Learn(map[string][]byte{"value": []byte(redact.Unbroken(string(value)))})
}

// kubeconfig adds a kubeconfig and the credential files that it names.
func (c *InUse) kubeconfig(path string) {
	config, err := clientcmd.Load(c.file(Kubeconfig, path))
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

func (c *InUse) user(user *api.AuthInfo) {
	key := slices.Concat(user.ClientKeyData, c.file(Kubeconfig, user.ClientKey))
	for _, value := range [][]byte{[]byte(user.Token), []byte(user.Password), key,
		[]byte(base64.StdEncoding.EncodeToString(key)), bytes.TrimSpace(c.file(Kubeconfig, user.TokenFile))} {
		c.learn(Kubeconfig, value)
	}
}

// Find returns the kind of credential that a file is or contains, or "" if it has none.
func (c *InUse) Find(info fs.FileInfo, data []byte) Kind {
	for kind, files := range c.files {
		for _, file := range files {
			if info != nil && os.SameFile(file, info) {
				return kind
			}
		}
	}
	if bytes.Contains(data, ageKey) {
		return BackupKey
	}
	for kind, values := range c.values {
		if values.Knows(data) {
			return kind
		}
	}
	return ""
}
