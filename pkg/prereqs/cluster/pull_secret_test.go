package cluster

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

func dockerConfig(registries ...string) []byte {
	var entries []string
	for _, r := range registries {
		entries = append(entries, `"`+r+`":{"auth":"`+base64.StdEncoding.EncodeToString([]byte("me:hidden"))+`"}`)
	}
	return []byte(`{"auths":{` + strings.Join(entries, ",") + `}}`)
}

func TestReadPullSecret(t *testing.T) {
	for raw, want := range map[string]string{
		``:             "has no key",
		`{`:            "is not JSON",
		`{"auths":{}}`: `has no "auths"`,
		`{"auths":{"quay.io":{"auth":"c2VjcmV0"}}}`:       "the auth of quay.io is not base64 of user:password",
		`{"auths":{"quay.io":{"auth":"!"}}}`:              "the auth of quay.io is not base64 of user:password",
		`{"auths":{"quay.io":{"username":"c2VjcmV0"}}}`:   "the auth of quay.io is not base64 of user:password",
		`{"auths":{"quay.io":{"auth":{"c2VjcmV0":"x"}}}}`: "is not JSON",
	} {
		if _, err := readPullSecret([]byte(raw)); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "c2VjcmV0") {
			t.Errorf("%s: got %v, want %q", raw, err, want)
		}
	}
	got, err := readPullSecret([]byte(`{"auths":{"registry.redhat.io":{"username":"a","password":"b"},"quay.io":{` +
		`"auth":"YTpi"}}}`))
	if err != nil || strings.Join(got, " ") != "quay.io registry.redhat.io" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestJudgePullSecret(t *testing.T) {
	all := []string{"quay.io", "registry.redhat.io", "cloud.openshift.com", "registry.connect.redhat.com"}
	mirrored := prereq.Disconnection{CatalogsOff: true, Mirrors: map[string][]string{
		"quay.io/openshift-release-dev": {"mirror.example.com:5000/openshift-release-dev"},
		"registry.redhat.io":            {"mirror.example.com:5000"}}}
	for name, tc := range map[string]struct {
		have []string
		d    prereq.Disconnection
		want step.State
		says string
	}{
		"all": {all, prereq.Disconnection{}, step.StateOK, "credentials for cloud.openshift.com, quay.io"},
		"by repository": {[]string{"https://quay.io/v2/", "registry.redhat.io/x"}, prereq.Disconnection{}, step.StateOK,
			"none for cloud.openshift.com"},
		"no quay": {all[1:], prereq.Disconnection{}, step.StateMissing, "no credentials for quay.io"},
		"neither": {all[2:], prereq.Disconnection{}, step.StateMissing,
			"no credentials for quay.io, registry.redhat.io"},
		"mirror": {[]string{"mirror.example.com:5000"}, mirrored, step.StateOK,
			"credentials for mirror.example.com:5000"},
		"anonymous mirror": {[]string{"other.example.com"}, mirrored, step.StateOK,
			"none for the mirror mirror.example.com:5000"},
		"mirror while attached": {[]string{"other.example.com"}, prereq.Disconnection{Mirrors: mirrored.Mirrors},
			step.StateMissing, "no credentials for mirror.example.com:5000"},
	} {
		t.Run(name, func(t *testing.T) {
			secret := &corev1.Secret{Type: corev1.SecretTypeDockerConfigJson,
				Data: map[string][]byte{corev1.DockerConfigJsonKey: dockerConfig(tc.have...)}}
			f := judgePullSecret(secret, tc.d, "")
			prereqtest.Expect(t, f, tc.want, tc.says)
			// Red Hat's pull secret has no credentials for somebody's mirror.
			ofRedHat, mirror := strings.Contains(f.Hint.String(), "console.redhat.com"), strings.Contains(f.Message, "mirror")
			if tc.want == step.StateMissing && ofRedHat == mirror {
				t.Errorf("%s (%s)", f.Message, f.Hint)
			}
			if text := f.Message + f.Hint.String(); strings.Contains(text, "hidden") || strings.Contains(text, "bWU6") {
				t.Errorf("it tells a secret: %s", text)
			}
		})
	}
	prereqtest.Expect(t, judgePullSecret(&corev1.Secret{Type: corev1.SecretTypeOpaque}, prereq.Disconnection{}, ""),
		step.StateBroken, "its type is Opaque")
}

// A release image of another registry needs that registry's credentials, not those of OpenShift's own releases.
func TestThePullSecretOpensTheReleaseImage(t *testing.T) {
	const digest = "@sha256:0000"
	mirrored := prereq.Disconnection{Mirrors: map[string][]string{"lab.example:5000/ocp": {"mirror.example/ocp"}}}
	for name, tc := range map[string]struct {
		have    []string
		release string
		d       prereq.Disconnection
		lacking string
	}{
		"OpenShift's own": {[]string{"quay.io"}, "", prereq.Disconnection{}, ""},
		"OpenShift's, by digest": {[]string{"quay.io"}, "quay.io/openshift-release-dev/ocp-release" + digest,
			prereq.Disconnection{}, ""},
		"another registry": {[]string{"quay.io"}, "lab.example:5000/ocp/release:4.20.1", prereq.Disconnection{},
			"lab.example:5000"},
		"with its credentials": {[]string{"lab.example:5000"}, "lab.example:5000/ocp/release" + digest,
			prereq.Disconnection{}, ""},
		"mirrored":       {[]string{"mirror.example"}, "lab.example:5000/ocp:4.20.1", mirrored, ""},
		"mirror lacking": {[]string{"quay.io"}, "lab.example:5000/ocp:4.20.1" + digest, mirrored, "mirror.example"},
	} {
		got := neededRegistries(append(tc.have, "registry.redhat.io"), tc.d, tc.release).lacking
		if strings.Join(got, " ") != tc.lacking {
			t.Errorf("%s: lacking %v, want %q", name, got, tc.lacking)
		}
	}
}

// FuzzClusterPullSecret: what is said of the cluster's pull secret tells nothing of its values.
func FuzzClusterPullSecret(f *testing.F) {
	const planted = "hunter2Zq7"
	f.Add(`{"auths":{"quay.io":{"auth":"`, `"}}}`)
	f.Add(`{"auths":{"quay.io":{"username":"u","password":"`, `"}}}`)
	f.Add(`{"auths":`, `}`)
	f.Fuzz(func(t *testing.T, before, after string) {
		content := []byte(before + planted + after)
		registries, err := readPullSecret(content)
		var names struct {
			Auths map[string]any `json:"auths"`
		}
		if json.Unmarshal(content, &names) == nil {
			for name := range names.Auths {
				if strings.Contains(name, planted) {
					return
				}
			}
			if err == nil && len(registries) != len(names.Auths) {
				t.Fatalf("%d registries, not %d", len(registries), len(names.Auths))
			}
		}
		if err != nil && strings.Contains(err.Error(), planted) || strings.Contains(strings.Join(registries, " "), planted) {
			t.Fatalf("it is told: %v %v", registries, err)
		}
	})
}
