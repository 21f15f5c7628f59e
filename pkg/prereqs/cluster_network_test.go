package prereqs

import (
	"encoding/base64"
	"errors"
	"net"
	"net/netip"
	"strings"
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeNetworkAndMTU(t *testing.T) {
	expect(t, judgeNetwork(configv1.NetworkStatus{NetworkType: "OVNKubernetes"}), step.OK, "OVNKubernetes")
	expect(t, judgeNetwork(configv1.NetworkStatus{NetworkType: "OpenShiftSDN"}), step.Broken, "OpenShiftSDN")
	expect(t, judgeNetwork(configv1.NetworkStatus{}), step.Pending, "not reported")
	for mtu, want := range map[int]struct {
		state step.State
		says  string
	}{0: {step.Pending, "not reported"}, 1400: {step.Missing, "get 1300"}, 8899: {step.Missing, "8799"}, 8900: {step.OK, "guests get 8800"}, 9000: {step.OK, "several queues"}} {
		expect(t, judgeMTU(configv1.NetworkStatus{ClusterNetworkMTU: mtu}), want.state, want.says)
	}
}

func TestJudgeGuestNetworks(t *testing.T) {
	used := func(cidrs ...string) [][2]kube.Span {
		var spans []kube.Span
		for _, cidr := range cidrs {
			spans = append(spans, kube.SpanOf(netip.MustParsePrefix(cidr), "Network cluster", "the pods"))
		}
		return kube.Overlaps(usualGuestNetworks(), spans)
	}
	expect(t, judgeGuestNetworks(used("10.128.0.0/14", "172.30.0.0/16", "100.64.0.0/16", "100.88.0.0/16", "192.168.111.0/24")), step.OK, "are free")
	expect(t, judgeGuestNetworks(used("10.0.0.0/8")), step.Missing, "the pods of a hosted cluster (10.132.0.0/14) would share addresses with the pods (10.0.0.0/8)")
	expect(t, judgeGuestNetworks(used("172.31.0.0/20", "100.64.0.0/14")), step.Missing, "(and 2 more)")
}

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
		if _, err := readPullSecret([]byte(raw)); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "c2VjcmV0") {
			t.Errorf("%s: got %v, want %q", raw, err, want)
		}
	}
	got, err := readPullSecret([]byte(`{"auths":{"registry.redhat.io":{"username":"a","password":"b"},"quay.io":{"auth":"YTpi"}}}`))
	if err != nil || strings.Join(got, " ") != "quay.io registry.redhat.io" {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestJudgePullSecret(t *testing.T) {
	all := []string{"quay.io", "registry.redhat.io", "cloud.openshift.com", "registry.connect.redhat.com"}
	mirrored := disconnection{catalogsOff: true, mirrors: map[string][]string{
		"quay.io/openshift-release-dev": {"mirror.example.com:5000/openshift-release-dev"}, "registry.redhat.io": {"mirror.example.com:5000"}}}
	for name, tc := range map[string]struct {
		have []string
		d    disconnection
		want step.State
		says string
	}{
		"all":                   {all, disconnection{}, step.OK, "credentials for cloud.openshift.com, quay.io"},
		"by repository":         {[]string{"https://quay.io/v2/", "registry.redhat.io/x"}, disconnection{}, step.OK, "none for cloud.openshift.com"},
		"no quay":               {all[1:], disconnection{}, step.Missing, "no credentials for quay.io"},
		"neither":               {all[2:], disconnection{}, step.Missing, "no credentials for quay.io, registry.redhat.io"},
		"mirror":                {[]string{"mirror.example.com:5000"}, mirrored, step.OK, "credentials for mirror.example.com:5000"},
		"anonymous mirror":      {[]string{"other.example.com"}, mirrored, step.OK, "none for the mirror mirror.example.com:5000"},
		"mirror while attached": {[]string{"other.example.com"}, disconnection{mirrors: mirrored.mirrors}, step.Missing, "no credentials for mirror.example.com:5000"},
	} {
		t.Run(name, func(t *testing.T) {
			secret := &corev1.Secret{Type: corev1.SecretTypeDockerConfigJson, Data: map[string][]byte{corev1.DockerConfigJsonKey: dockerConfig(tc.have...)}}
			f := judgePullSecret(secret, tc.d)
			expect(t, f, tc.want, tc.says)
			if text := f.Message + f.Hint; strings.Contains(text, "hidden") || strings.Contains(text, "bWU6") {
				t.Errorf("it tells a secret: %s", text)
			}
		})
	}
	expect(t, judgePullSecret(&corev1.Secret{Type: corev1.SecretTypeOpaque}, disconnection{}), step.Broken, "its type is Opaque")
}

func TestCatalogsOff(t *testing.T) {
	hub := func(all bool, sources ...configv1.HubSource) *configv1.OperatorHub {
		return &configv1.OperatorHub{Spec: configv1.OperatorHubSpec{DisableAllDefaultSources: all, Sources: sources}}
	}
	on, off := configv1.HubSource{Name: "redhat-operators"}, configv1.HubSource{Name: "community-operators", Disabled: true}
	for want, hubs := range map[bool][]*configv1.OperatorHub{true: {hub(true), hub(true, off)}, false: {hub(false), hub(false, off), hub(true, off, on)}} {
		for _, h := range hubs {
			if got := catalogsOff(h); got != want {
				t.Errorf("%+v: %t", h.Spec, got)
			}
		}
	}
}

func TestJudgeMirrors(t *testing.T) {
	both := map[string][]string{"quay.io/openshift-release-dev/ocp-release": {"m/r"}, "*.io": {"m"}}
	for name, tc := range map[string]struct {
		d    disconnection
		want step.State
		says string
	}{
		"attached":             {disconnection{}, step.OK, "no registry is mirrored"},
		"attached with others": {disconnection{mirrors: map[string][]string{"docker.io": {"m"}}}, step.OK, "1 sources are mirrored"},
		"nothing mirrored":     {disconnection{catalogsOff: true}, step.Missing, "no registry is mirrored"},
		"release lacking":      {disconnection{catalogsOff: true, mirrors: map[string][]string{"quay.io/openshift-release-dev/ocp-release": {"m/r"}}}, step.Missing, "no mirror set has quay.io/openshift-release-dev/ocp-v4.0-art-dev"},
		"all":                  {disconnection{catalogsOff: true, mirrors: both}, step.OK, ""},
	} {
		t.Run(name, func(t *testing.T) { expect(t, judgeMirrors(tc.d), tc.want, tc.says) })
	}
	for source, want := range map[string]bool{"quay.io": true, "quay.io/openshift": false, "quay.io/openshift-release-dev": true, "*.quay.io": false, "*.io": true, "example.com": false} {
		d := disconnection{mirrors: map[string][]string{source: {"m"}}}
		if got := len(d.mirrorsOf(releaseRepositories()[0])) > 0; got != want {
			t.Errorf("%s: %t", source, got)
		}
	}
}

func TestJudgeDNS(t *testing.T) {
	own := []string{"192.0.2.4"}
	expect(t, judgeDNS("apps.example.com", []string{"192.0.2.4"}, nil, own), step.OK, "*.apps.example.com resolves to 192.0.2.4, asked from where hcctl runs")
	expect(t, judgeDNS("apps.example.com", []string{"198.51.100.9"}, nil, own), step.OK, "not the cluster's own ingress address 192.0.2.4")
	expect(t, judgeDNS("apps.example.com", []string{"198.51.100.9"}, nil, nil), step.OK, "198.51.100.9")
	absent := judgeDNS("apps.example.com", nil, &net.DNSError{Err: "no such host", Name: "x", IsNotFound: true}, own)
	expect(t, absent, step.Missing, "does not resolve")
	if !strings.Contains(absent.Hint, "192.0.2.4") {
		t.Errorf("got %s", absent.Hint)
	}
	expect(t, judgeDNS("apps.example.com", nil, &net.DNSError{Err: "i/o timeout", IsTimeout: true}, own), step.Unknown, "no answer within 2s")
	expect(t, judgeDNS("apps.example.com", nil, errors.New("odd"), own), step.Unknown, "odd")
}
