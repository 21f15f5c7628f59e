package probe

import (
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
)

// asked is the variable by which TestRegistryCertificatesAreTrusted tells its child what to ask for.
const asked = "HCCTL_TEST_ASKED"

// TestRegistryCertificatesAreTrusted has a Go program, as oc is one, ask a server by what the pod of a pull gets: a
// directory as the kubelet makes it of the ConfigMap, and the variable of equip.
func TestRegistryCertificatesAreTrusted(t *testing.T) {
	if url := os.Getenv(asked); url != "" { //nolint:forbidigo // the test is its own child
		response, err := http.Get(url) //nolint:noctx // it is a program of its own
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		return
	}
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	own := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))

	s := &session{run: &run{}, namespace: "n"}
	pod := s.pod("pull", "image", pullScript("image", false))
	pullSettings{certified: true}.equip(pod, "secret")
	env := pod.Spec.Containers[0].Env
	at := slices.IndexFunc(env, func(e corev1.EnvVar) bool { return e.Name == "SSL_CERT_DIR" })
	if at < 0 || !strings.Contains(env[at].Value, registryTrustPath) {
		t.Fatalf("the pod does not look into %s: %v", registryTrustPath, env)
	}
	for what, c := range map[string]struct {
		content string
		trusted bool
	}{
		"the server's": {certificatesOf(map[string]string{"registry.example.com..5000": own}), true},
		"nobody's":     {certificatesOf(map[string]string{"registry.example.com..5000": "no certificate"}), false},
	} {
		mounted := t.TempDir()
		version := filepath.Join(mounted, "..2026")
		for _, err := range []error{
			os.Mkdir(version, 0o755), os.WriteFile(filepath.Join(version, trustKey), []byte(c.content), 0o600),
			os.Symlink("..2026", filepath.Join(mounted, "..data")),
			os.Symlink(filepath.Join("..data", trustKey), filepath.Join(mounted, trustKey)),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		//nolint:forbidigo // the test is its own child
		program := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
		program.Env = append(program.Environ(), asked+"="+server.URL,
			"SSL_CERT_DIR="+strings.ReplaceAll(env[at].Value, registryTrustPath, mounted))
		if out, err := program.CombinedOutput(); err == nil != c.trusted ||
			!c.trusted && !strings.Contains(string(out), "certificate") {
			t.Errorf("with %s certificate: %v\n%s", what, err, out)
		}
	}
}

// A ConfigMap of certificates is somebody else's: a key that was put there by mistake is not copied.
func TestOnlyCertificatesAreCopied(t *testing.T) {
	block := func(kind, content string) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: []byte(content)}))
	}
	one, two := block("CERTIFICATE", "one"), block("CERTIFICATE", "two")
	got := certificatesOf(map[string]string{"b..5000": two + block("PRIVATE KEY", "secret"), "a": "# root\n" + one,
		"c": "nonsense", "d": one[:20]})
	if got != one+two {
		t.Errorf("got\n%s", got)
	}
}

func TestProxyValues(t *testing.T) {
	proxy := func(spec string, status configv1.ProxyStatus) *configv1.Proxy {
		return &configv1.Proxy{Spec: configv1.ProxySpec{HTTPProxy: spec, NoProxy: "spec"}, Status: status}
	}
	for what, c := range map[string]struct {
		proxy *configv1.Proxy
		want  map[string]string
	}{
		"none": {proxy("", configv1.ProxyStatus{NoProxy: ".svc"}), nil},
		// What the network operator has not taken over yet, no program goes by.
		"wished only": {proxy("http://proxy:3128", configv1.ProxyStatus{}), nil},
		// The status has what the network operator adds to noProxy: the cluster's own networks.
		"in use": {proxy("http://proxy:3128", configv1.ProxyStatus{HTTPProxy: "http://proxy:3128", NoProxy: ".svc,spec"}),
			map[string]string{"HTTP_PROXY": "http://proxy:3128", "HTTPS_PROXY": "", "NO_PROXY": ".svc,spec"}},
	} {
		got := proxyValues(c.proxy)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v, want %v", what, got, c.want)
		}
		for name, value := range c.want {
			if got[name] != value {
				t.Errorf("%s: %s is %q, want %q", what, name, got[name], value)
			}
		}
	}
}
