package cmdutil

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// The credentials of the user in these tests. No file may bring them into a cluster.
const (
	aToken   = "sha256~4kLrTq81bXhDmF0vWz5aYeP2"
	aKey     = "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIJ0r4Yz8\nkQm1sT7wXv3bNc5dFg==\n-----END EC PRIVATE KEY-----\n"
	aLogin   = `{"auths":{"registry.example.com":{"auth":"cm9ib3Q6ZjRrM3AwOXh5ejEyMw=="}}}`
	anSSHKey = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUA\n-----END OPENSSH PRIVATE KEY-----\n"
)

func aKubeconfig(indent string) string {
	key := base64.StdEncoding.EncodeToString([]byte(aKey))
	return "apiVersion: v1\nkind: Config\nclusters:\n- name: c\n" + indent + "cluster: {server: https://192.0.2.1:6443}\n" +
		"contexts:\n- name: c\n" + indent + "context: {cluster: c, user: a}\ncurrent-context: c\nusers:\n- name: a\n" + indent +
		"user:\n" + indent + "  token: " + aToken + "\n- name: b\n" + indent + "user:\n" + indent + "  client-key-data: " + key +
		"\n"
}

// home is a user's home with credentials, and a repository of somebody else beside it.
func home(t *testing.T) (home, repo string, a *Factory) {
	t.Helper()
	top := t.TempDir()
	home, repo = filepath.Join(top, "home"), filepath.Join(top, "repo")
	webhook, _, _ := strings.Cut(aKubeconfig("  "), "- name: b")
	for path, text := range map[string]string{".kube/lab": aKubeconfig("  "), ".docker/config.json": aLogin,
		".ssh/id_ed25519": anSSHKey, "notes.yaml": "mine", "shared/webhook": strings.Replace(webhook, aToken, "other", 1)} {
		write(t, filepath.Join(home, path), text)
	}
	write(t, filepath.Join(repo, "inside"), "x")
	t.Setenv("HOME", home)
	t.Setenv("KUBECONFIG", filepath.Join(home, ".kube/lab"))
	return home, repo, NewFactory(Streams{}, os.Getenv)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// read reads a Cluster document of the repository with that spec.
func read(t *testing.T, a *Factory, repo, spec string) error {
	t.Helper()
	text := "apiVersion: " + config.APIVersion + "\nkind: Cluster\nmetadata: {name: kv-50}\nspec: {" + spec + "}\n"
	clusters, err := config.ParseClusters(filepath.Join(repo, "kv-50.yaml"), repo, []byte(text), "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = ReadClusters(a.Files, clusters)
	return err
}

// The files that a document names are those of its own directory, whichever way they are named.
func TestDocumentsNameFilesOfTheirDirectory(t *testing.T) {
	home, repo, a := home(t)
	link := func(to, from string) {
		if err := os.Symlink(to, filepath.Join(repo, from)); err != nil {
			t.Fatal(err)
		}
	}
	link("../home/.kube/lab", "link")
	link(filepath.Join(home, "notes.yaml"), "absolute-link")
	link("../home", "directory-link")
	link("link", "link-to-link")
	if err := os.Link(filepath.Join(home, ".kube/lab"), filepath.Join(repo, "hard")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(repo, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	open, err := os.Open(filepath.Join(home, ".kube/lab"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = open.Close() }()
	write(t, filepath.Join(repo, "cni", "kustomization.yaml"), "resources: [../../home/notes.yaml]\n")
	write(t, filepath.Join(repo, "cni-link", "a.txt"), "")
	link("../../home/notes.yaml", "cni-link/a.yaml")
	const outside = "outside of the directory"
	for spec, want := range map[string]string{
		"auditWebhook: ../home/.kube/lab":                                 outside,
		"auditWebhook: " + home + "/.kube/lab":                            outside,
		"auditWebhook: x/../../home/.kube/lab":                            outside,
		"auditWebhook: link":                                              outside,
		"auditWebhook: absolute-link":                                     outside,
		"auditWebhook: directory-link/.kube/lab":                          outside,
		"auditWebhook: link-to-link":                                      outside,
		"auditWebhook: hard":                                              "a kubeconfig in use",
		fmt.Sprintf("auditWebhook: /proc/self/fd/%d", open.Fd()):          outside,
		"auditWebhook: .":                                                 "a directory",
		"auditWebhook: fifo":                                              "a FIFO",
		"auditWebhook: ~/.kube/lab":                                       "no such file",
		"auditWebhook: $HOME/.kube/lab":                                   "no such file",
		"cni: cni, networkType: Other":                                    outside,
		"cni: cni-link, networkType: Other":                               outside,
		"guestManifests: [../home/notes.yaml]":                            outside,
		"manifests: [../home/notes.yaml]":                                 outside,
		"sshKey: ../home/.ssh/id_ed25519":                                 outside,
		"pullSecret: ../home/.docker/config.json":                         outside,
		"nodePools: [{config: [../home/notes.yaml]}]":                     outside,
		"nodePools: [{vmAffinity: ../home/notes.yaml}]":                   outside,
		"services: {dex: {config: ../home/notes.yaml}}":                   outside,
		"services: {jumpHost: {authorizedKeys: ../home/.ssh/id_ed25519}}": outside,
	} {
		err := read(t, a, repo, spec)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "kv-50.yaml:4") {
			t.Errorf("%s: got %v, want %s", spec, err, want)
		}
	}
}

// Whatever is allowed, and in whichever form it is written, no field takes a credential that is in use here.
func TestCredentialsInUseAreNoFiles(t *testing.T) {
	home, repo, a := home(t)
	a.Files.FilesFrom = []string{home}
	encoded := base64.StdEncoding.EncodeToString([]byte("x" + aKubeconfig("  ")))
	folded := regexp.MustCompile(`.{40}`).ReplaceAllString(encoded, "$0\n    ")
	secret := "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\n"
	for name, text := range map[string]string{"indented": aKubeconfig("    "), "changed": "# a\n" + aKubeconfig("  "),
		"bare": "a token " + aToken, "stringdata.yaml": secret + "stringData:\n  k: |\n    " +
			strings.ReplaceAll(aKubeconfig("  "), "\n", "\n    "),
		"data.yaml": secret + "data: {k: " + encoded + "}\n", "key.pem": aKey, "folded.yaml": secret + "data:\n  k: >-\n    " + folded + "\n", "quoted.yaml": secret + fmt.Sprintf("stringData: {k: %q}\n", aKey),
		"login.yaml": secret + fmt.Sprintf("stringData: {.dockerconfigjson: %q}\n", aLogin), "ssh.yaml": secret +
			fmt.Sprintf("stringData: {k: %q}\n", anSSHKey), "age.yaml": secret + "stringData: {k: AGE-SECRET-KEY-1QQQ}\n",
		"directory/data.yaml": secret + "data: {k: " + encoded + "}\n"} {
		write(t, filepath.Join(repo, name), text)
	}
	const kubeconfig, login = "a kubeconfig in use", "a registry login"
	for spec, want := range map[string]string{
		"auditWebhook: ../home/.kube/lab":              kubeconfig,
		"infraKubeconfigFile: ../home/.kube/lab":       kubeconfig,
		"auditWebhook: indented":                       kubeconfig,
		"auditWebhook: changed":                        kubeconfig,
		"sshKey: bare":                                 kubeconfig,
		"manifests: [stringdata.yaml]":                 kubeconfig,
		"manifests: [data.yaml]":                       kubeconfig,
		"manifests: [folded.yaml]":                     kubeconfig,
		"manifests: [quoted.yaml]":                     kubeconfig,
		"guestManifests: [directory]":                  kubeconfig,
		"additionalTrustBundle: key.pem":               kubeconfig,
		"manifests: [../home/.docker/config.json]":     login,
		"manifests: [login.yaml]":                      login,
		"manifests: [ssh.yaml]":                        "a private SSH key",
		"sshKey: ../home/.ssh/id_ed25519":              "a private SSH key",
		"manifests: [age.yaml]":                        "a key that opens backups",
		"nodePools: [{config: [../home/.kube/lab]}]":   kubeconfig,
		"services: {dex: {config: ../home/.kube/lab}}": kubeconfig,
	} {
		err := read(t, a, repo, spec)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", spec, err, want)
		} else if strings.Contains(err.Error(), aToken) {
			t.Errorf("%s: the message has the token: %v", spec, err)
		}
	}
	for _, spec := range []string{"pullSecret: ../home/.docker/config.json", "auditWebhook: ../home/shared/webhook"} {
		if err := read(t, a, repo, spec); err != nil && strings.Contains(err.Error(), "is or contains") {
			t.Errorf("%s: %v", spec, err)
		}
	}
	if got := strings.Join(a.Files.read, "\n"); !strings.Contains(got, "pullSecret has the content of "+home) {
		t.Errorf("the path is not shown: %s", got)
	}
}

// What the user types is read from anywhere, and held to the same credentials where the field is not for them.
func TestTypedFiles(t *testing.T) {
	home, _, a := home(t)
	t.Chdir(home)
	a.Streams.In = bytes.NewReader([]byte(aKubeconfig("    ")))
	for flag, want := range map[string]string{"pullSecret=.docker/config.json": "", "auditWebhook=shared/webhook": "",
		"infraKubeconfigFile=.kube/lab": "", "auditWebhook=.kube/lab": "a kubeconfig in use",
		"auditWebhook=-": "a kubeconfig in use", "sshKey=.ssh/id_ed25519": "a private SSH key",
		"additionalTrustBundle=.docker/config.json": "a registry login"} {
		name, path, _ := strings.Cut(flag, "=")
		err := a.Files.readField(options.Field{Name: name}, &options.File{Path: path})
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", flag, err, want)
		}
	}
}

// A document that is written from flags says which directories it needs to be read again.
func TestDirectoriesBeside(t *testing.T) {
	o := options.Defaults()
	o.SSHKey.Path, o.PullSecret.Path, o.AuditWebhook.Path = "/home/me/.ssh/id.pub", "repo/sub/ps.json", "-"
	o.NodePools[0].Config = options.Files{{Path: "shared/a.yaml"}, {Path: "shared/b.yaml"}}
	if got := strings.Join(DirectoriesBeside(&o, "repo"), " "); got != "/home/me/.ssh shared" {
		t.Errorf("got %s", got)
	}
}
