package hostedcluster

import (
	"errors"
	"strings"
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/pkg/kube"
)

func TestSizesSurviveTheirAnnotation(t *testing.T) {
	for _, s := range []Size{{}, {Min: 3, Max: 3}, {Min: 2, Max: 5, Auto: true}, {Min: 1, Max: 2, Auto: true},
		{Min: 2, Max: 2, Auto: true}} {
		if got, ok := ParseSize(s.Encode()); !ok || got != s {
			t.Errorf("%+v became %q became %+v", s, s.Encode(), got)
		}
	}
	for _, code := range []string{"", "x", "-1", "3-", "-3", "5-2", "0-2", "1-2-3", " 3", "99999999999"} {
		if got, ok := ParseSize(code); ok {
			t.Errorf("%q is taken for %+v", code, got)
		}
	}
}

func TestPauseOf(t *testing.T) {
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	for value, want := range map[string]string{
		"true": "until it is resumed", "True": "until it is resumed", "false": "", "False": "",
		"2026-03-01T10:00:01Z": "until 2026-03-01T10:00:01Z", "2026-03-01T12:30:00+02:00": "until 2026-03-01T10:30:00Z",
		"2026-03-01T10:00:00Z": "", "2025-03-01T10:00:00Z": "", "2027-03-01T10:00": "",
	} {
		p := PauseOf(&value, now)
		if p.Active != (want != "") || p.Active && p.String() != want {
			t.Errorf("%s: %+v, want %q", value, p, want)
		}
	}
	if PauseOf(nil, now).Active {
		t.Error("not set, and paused")
	}
}

func TestVersionsInTheirOrder(t *testing.T) {
	order := []string{
		"4.19.30",
		"4.20.0-0.nightly-2026-08-01-010203",
		"4.20.0-ec.1",
		"4.20.0-ec.12",
		"4.20.0-rc.2",
		"4.20.0-rc.10",
		"4.20.0",
		"4.20.3",
		"4.20.10",
		"4.21.0",
		"5.0.0",
	}
	for i, a := range order {
		for j, b := range order {
			v, _ := ParseVersion(a)
			w, _ := ParseVersion(b)
			if v.Before(w) != (i < j) {
				t.Errorf("%s before %s: %v", a, b, v.Before(w))
			}
			if v.String() != a {
				t.Errorf("%s is written %s", a, v)
			}
		}
	}
	// Tags of releases end in their architecture.
	for tag, want := range map[string]string{"4.23.0-rc.1-multi": "4.23.0-rc.1", "5.0.0-ec.3-x86_64": "5.0.0-ec.3",
		"5.1.0-0.nightly-multi-2026-08-01-010203": "5.1.0-0.nightly-multi-2026-08-01-010203"} {
		if v, ok := ParseVersion("quay.io/openshift-release-dev/ocp-release:" + tag); !ok || v.String() != want {
			t.Errorf("%s is %s", tag, v)
		}
	}
	last, _ := ParseVersion("4.22.9")
	first, _ := ParseVersion("5.0.0")
	if first.MinorNumber()-last.MinorNumber() != 1 {
		t.Errorf("5.0 is %d minors after 4.22", first.MinorNumber()-last.MinorNumber())
	}
}

// TestDualVersions: 5.x is 4.(23+x), in both directions (HyperShift's support/supportedversion).
func TestDualVersions(t *testing.T) {
	parsed := func(s string) Version {
		v, ok := ParseVersion(s)
		if !ok {
			t.Fatal(s)
		}
		return v
	}
	for _, tc := range []struct {
		a, b string
		age  int
		same bool
	}{
		{"4.23.1", "5.0.1", 0, true}, {"5.0.1", "4.23.1", 0, true}, {"4.23.9", "5.0.1", 1, true},
		{"5.0.0-rc.1", "4.23.0", -1, true}, {"4.22.9", "5.0.0", -1, false}, {"5.1.0", "4.23.9", 1, false},
		{"4.24.3", "5.1.3", 0, true},
	} {
		a, b := parsed(tc.a), parsed(tc.b)
		if a.CompareAge(b) != tc.age || a.Before(b) != (tc.age < 0) || a.SameMinor(b) != tc.same {
			t.Errorf("%s and %s: %d, %t", a, b, a.CompareAge(b), a.SameMinor(b))
		}
	}
	for _, tc := range []struct {
		version string
		minors  []string
		want    bool
	}{
		{"5.0.2", []string{"4.22", "4.23"}, true}, {"4.23.2", []string{"5.0", "4.22"}, true},
		{"5.1.2", []string{"5.0", "4.23"}, false}, {"4.20.2", []string{"4.2", "4.20.1", "x", ""}, false},
	} {
		if got := parsed(tc.version).MinorIn(tc.minors); got != tc.want {
			t.Errorf("%s in %v: %t", tc.version, tc.minors, got)
		}
	}
	if parsed("5.0.1").Compare(parsed("4.23.1")) != 1 || parsed("5.0.1").Compare(parsed("4.23.2")) != -1 {
		t.Error("of one release the newer name is preferred")
	}
}

// 4.23 and 5.0 are one minor version, and 5.1 comes after it.
func TestOneMinorOfTwoNames(t *testing.T) {
	of := func(s string) Version {
		v, _ := ParseVersion(s)
		return v
	}
	sorted := []string{"4.22.9", "4.23.0-rc.1", "4.23.0", "5.0.2", "4.23.3", "5.1.0-ec.1", "5.1.0"}
	for i := range sorted[1:] {
		if of(sorted[i]).CompareAge(of(sorted[i+1])) >= 0 {
			t.Errorf("%s is not older than %s", sorted[i], sorted[i+1])
		}
	}
	for _, tc := range []struct {
		from string
		n    int
		want string
	}{{"4.22.3", 1, "4.23"}, {"4.23.3", 1, "5.1"}, {"5.0.1", -2, "4.21"}, {"5.1.1", -1, "5.0"}, {"5.1.1", -2, "4.22"},
		{"5.0.1", 1, "5.1"}, {"4.20.3", -3, "4.17"}, {"4.23.1", 0, "4.23"}, {"5.0.1", 0, "5.0"}} {
		if got := of(tc.from).AddMinors(tc.n).MinorName(); got != tc.want {
			t.Errorf("%s and %d: %s, want %s", tc.from, tc.n, got, tc.want)
		}
	}
}

func TestPoolMark(t *testing.T) {
	for value, want := range map[string]Mark{
		"clusters/kv-00":      {Cluster: "clusters/kv-00"},
		"clusters/kv-00/u1":   {Cluster: "clusters/kv-00", UID: "u1"},
		"clusters":            {},
		"":                    {},
		"clusters/kv-00/u1/x": {Cluster: "clusters/kv-00", UID: "u1/x"},
	} {
		if got := ParsePoolMark(value); got != want {
			t.Errorf("%q: %+v, want %+v", value, got, want)
		}
	}
	if got := PoolMark("a/b", "u"); got != "a/b/u" {
		t.Error(got)
	}
}

func TestSharedID(t *testing.T) {
	self := Identity{Namespace: "team-evil", Name: "evil", InfraID: "i", ClusterID: "c"}
	for name, tc := range map[string]struct {
		other Identity
		want  string
	}{
		"infraID": {Identity{Namespace: "clusters", Name: "kv-00", InfraID: "i"}, "spec.infraID i"},
		"clusterID": {Identity{Namespace: "clusters", Name: "kv-00", InfraID: "j", ClusterID: "c"},
			"spec.clusterID c"},
		"nothing":  {Identity{Namespace: "clusters", Name: "kv-00", InfraID: "j"}, ""},
		"itself":   {self, ""},
		"none yet": {Identity{Namespace: "clusters", Name: "kv-00"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			other, field := self.FindDuplicate([]Identity{tc.other})
			if field != tc.want {
				t.Fatalf("%q, want %q", field, tc.want)
			}
			if field == "" {
				return
			}
			err := SharedIDError(self, other, field, false)
			for _, named := range []string{"team-evil/evil", "clusters/kv-00", field, "nothing was deleted"} {
				if !strings.Contains(err.Error(), named) {
					t.Errorf("%s does not name %s", err, named)
				}
			}
		})
	}
}

func TestNewerOfTwoWithOneID(t *testing.T) {
	at := func(hour int) time.Time { return time.Date(2026, 1, 2, hour, 0, 0, 0, time.UTC) }
	self := Identity{Namespace: "a", Name: "x", InfraID: "i", Created: at(10)}
	older, newer, same := Identity{Namespace: "b", Name: "y", InfraID: "i", Created: at(9)},
		Identity{Namespace: "c", Name: "z", InfraID: "i", Created: at(11)},
		Identity{Namespace: "d", Name: "w", InfraID: "i", Created: at(10)}
	if other, _ := self.FindDuplicate([]Identity{newer, older, same}); other.Key() != "b/y" {
		t.Errorf("the oldest is %s", other.Key())
	}
	for want, other := range map[string]Identity{"a/x": older, "c/z": newer, "": same} {
		err := SharedIDError(self, other, "spec.infraID i", false)
		next := failure.Hint(err).String()
		if failure.Of(err) != failure.Final || !strings.Contains(next, "find out which of them is the copy") ||
			strings.Contains(next, "was created later") != (want != "") ||
			want != "" && !strings.Contains(next, "(HostedCluster "+want+" was created later)") {
			t.Errorf("newer is %q: %s", want, next)
		}
	}
	left := SharedIDError(self, older, "spec.infraID i", true)
	if !strings.HasPrefix(left.Error(), "what is left of hosted cluster a/x has spec.infraID i, which is that of") ||
		!strings.HasPrefix(failure.Hint(left).String(), "look at what is left and delete it by hand") {
		t.Errorf("%s: %s", left, failure.Hint(left).String())
	}
	if field := (Identity{Namespace: "a", Name: "x"}).sharedField(Identity{Namespace: "b", Name: "y"}); field != "" {
		t.Errorf("no IDs are shared as %s", field)
	}
}

func TestSizes(t *testing.T) {
	np := &hyperv1.NodePool{}
	if got := SizeOf(np); got != (Size{}) || got.String() != "0" || got.Nodes() != "0 nodes" {
		t.Errorf("%+v", got)
	}
	np.Spec.Replicas = ptr.To[int32](1)
	if got := SizeOf(np).Nodes(); got != "1 node" {
		t.Error(got)
	}
	np.Spec.Replicas = ptr.To[int32](3)
	if got := SizeOf(np); got != (Size{Min: 3, Max: 3}) || got.Spec()["replicas"] != 3 ||
		got.Spec()["autoScaling"] != nil {
		t.Errorf("%+v", got)
	}
	np.Spec.AutoScaling = &hyperv1.NodePoolAutoScaling{Min: 2, Max: 5}
	got := SizeOf(np)
	if bounds, _ := got.Spec()["autoScaling"].(map[string]any); got.Nodes() != "2 to 5 nodes" ||
		got.Spec()["replicas"] != nil ||
		bounds["min"] != 2 || bounds["max"] != 5 {
		t.Errorf("%+v", got)
	}
	for n, want := range map[int]bool{1: false, 2: true, 4: true, 5: true, 6: false} {
		if got.Contains(n) != want {
			t.Errorf("%d nodes: %v", n, !want)
		}
	}
}

func TestCheckNotPaused(t *testing.T) {
	now := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "kv-00"}}
	np := &hyperv1.NodePool{ObjectMeta: metav1.ObjectMeta{Namespace: "team", Name: "workers"}}
	if err := CheckNotPaused(hc, np, now); err != nil {
		t.Error(err)
	}
	if err := CheckNotPaused(nil, nil, now); err != nil {
		t.Error(err)
	}
	np.Spec.PausedUntil = ptr.To("2026-03-01T12:00:00Z")
	for want, paused := range map[[2]string]*hyperv1.HostedCluster{
		{"NodePool team/workers is paused until 2026-03-01T12:00:00Z: its operator would do nothing about a change",
			`oc patch nodepool workers -n team --type=merge -p '{"spec":{"pausedUntil":null}}'`}: hc,
		{"HostedCluster team/kv-00 is paused until it is resumed: its operator would do nothing about a change",
			"hcctl resume kv-00 --namespace team"}: {ObjectMeta: hc.ObjectMeta,
			Spec: hyperv1.HostedClusterSpec{PausedUntil: ptr.To("true")}},
	} {
		err := CheckNotPaused(paused, np, now)
		var refused *PausedError
		if !errors.As(err, &refused) || err.Error() != want[0] || refused.Hint().String() != want[1] {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestVersionForms(t *testing.T) {
	for text, want := range map[string]string{"img4.20.3-x86-64-appsub": "4.20.3", "4.21.0-rc.1-multi": "4.21.0-rc.1",
		"x:4.20.3": "4.20.3", "4.20": "", "99999999999999999999.1.1": "", "": ""} {
		v, ok := ParseVersion(text)
		if ok != (want != "") || ok && v.String() != want {
			t.Errorf("%q: %s, %v", text, v, ok)
		}
		if ExactVersion(text) != (text == want && want != "") {
			t.Errorf("%q is exact: %v", text, ExactVersion(text))
		}
	}
	if v, _ := ParseVersion("4.20.3"); v.MinorName() != "4.20" || v.MinorNumber() != 20 {
		t.Errorf("%s, %d", v.MinorName(), v.MinorNumber())
	}
	if v, _ := ParseVersion("5.1.0"); v.MinorNumber() != 24 {
		t.Errorf("%d", v.MinorNumber())
	}
	// For a new cluster any release is better than any candidate.
	order := []string{"4.20.0-rc.2", "4.21.0-ec.1", "4.21.0-rc.2", "4.21.0-rc.10", "4.19.9", "4.20.3", "4.20.10", "4.21.0"}
	for i, a := range order {
		for j, b := range order {
			v, _ := ParseVersion(a)
			w, _ := ParseVersion(b)
			if got := v.Compare(w); got != min(1, max(-1, i-j)) {
				t.Errorf("%s to %s: %d", a, b, got)
			}
		}
	}
}

func TestReleaseVersion(t *testing.T) {
	hc := &hyperv1.HostedCluster{}
	if got := ReleaseVersion(hc); got != "" {
		t.Errorf("%q", got)
	}
	hc.Status.Version = &hyperv1.ClusterVersionStatus{Desired: configv1.Release{Version: "4.20.4"}}
	if got := ReleaseVersion(hc); got != "4.20.4" {
		t.Errorf("%q", got)
	}
	hc.Status.Version.History = []configv1.UpdateHistory{{Version: ""}}
	if got := ReleaseVersion(hc); got != "4.20.4" {
		t.Errorf("%q", got)
	}
	hc.Status.Version.History[0].Version = "4.20.3"
	if got := ReleaseVersion(hc); got != "4.20.3" {
		t.Errorf("%q", got)
	}
	for passes, platform := range map[bool]*hyperv1.KubevirtPlatformSpec{false: {},
		true: {BaseDomainPassthrough: ptr.To(true)}} {
		hc.Spec.Platform.Kubevirt = platform
		if BaseDomainPassthrough(hc.Spec) != passes {
			t.Errorf("passes through: %v", !passes)
		}
	}
	hc.Spec.Platform.Kubevirt = nil
	if BaseDomainPassthrough(hc.Spec) {
		t.Error("no KubeVirt, and it passes through")
	}
}

func TestMarks(t *testing.T) {
	hc := &hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: "kv-00", UID: "u1"}}
	hc.Spec.InfraID = "kv-00-abcde"
	secret := &corev1.Secret{}
	MarkFor(hc).SetOn(secret)
	if got := MarkOf(secret); got != (Mark{"clusters/kv-00", "u1", "kv-00-abcde"}) {
		t.Errorf("%+v", got)
	}
	// A mark without a UID takes off that of an earlier one, and leaves what others wrote.
	secret.Labels["mine"], secret.Annotations["mine"] = "l", "a"
	Mark{Cluster: "clusters/kv-00", InfraID: "other"}.SetOn(secret)
	_, has := secret.Annotations[ClusterUIDAnnotation]
	if got := MarkOf(secret); got != (Mark{"clusters/kv-00", "", "other"}) || has || secret.Labels["mine"] != "l" ||
		secret.Annotations["mine"] != "a" {
		t.Errorf("%+v of %+v", got, secret.ObjectMeta)
	}
	for name, tc := range map[string]struct {
		label, manager string
		want           bool
	}{
		"written": {kube.FieldOwner, kube.FieldOwner, true}, "label alone": {kube.FieldOwner, "kubectl", false},
		"manager alone": {"", kube.FieldOwner, false},
	} {
		o := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{kube.ManagedByLabel: tc.label},
			ManagedFields: []metav1.ManagedFieldsEntry{{Manager: tc.manager}}}}
		if WrittenByHcctl(o) != tc.want {
			t.Errorf("%s: %v", name, !tc.want)
		}
	}
}

func TestNames(t *testing.T) {
	for got, want := range map[string]string{
		Argument("clusters", "kv-00").String(): "kv-00", Argument("team", "kv-00").String(): "kv-00 --namespace team",
		ControlPlaneNamespace("clusters", "kv.00"): "clusters-kv-00", PullSecretName("k"): "k-pull-secret",
		EncryptionKeyName("k"): "k-etcd-encryption-key", SSHKeyName("k"): "k-ssh-key",
		InfraCredentialsName("k"): "k-infra-credentials", AuditWebhookName("k"): "k-audit-webhook",
		TrustBundleName("k"): "k-user-ca-bundle", PoolConfigName("k", 0): "k-config-1", PoolConfigName("k", 9): "k-config-10",
	} {
		if got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	pool := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"serviceAllocation": map[string]any{
		"namespaces": []any{"a", "b"}}}}}
	if got := PoolNamespaces(pool); len(got) != 2 || got[1] != "b" {
		t.Errorf("%q", got)
	}
}

func TestErrorsNameWhatThereIs(t *testing.T) {
	many := strings.Split(strings.Repeat("a ", maxOthers), " ")[:maxOthers]
	for want, err := range map[string]error{
		`no hosted cluster "x" in namespace "n"; there is none at all`: &NotFoundError{Namespace: "n", Name: "x"},
		`no node pool "x" in namespace "n"; there are: a, b`: &NotFoundError{Noun: "node pool", Namespace: "n", Name: "x",
			Others: []string{"a", "b"}},
		`no hosted cluster "x" in namespace "n"; there are: ` + strings.Join(many, ", "): &NotFoundError{Namespace: "n",
			Name: "x", Others: many},
		`no hosted cluster "x" in namespace "n"; there are: ` + strings.Join(many, ", ") + " and 2 more": &NotFoundError{
			Namespace: "n", Name: "x", Others: append(append([]string{}, many...), "b", "c")},
		`no node pool "x" in namespace "n"; there is none`: &PoolNotFoundError{Namespace: "n", Name: "x"},
		`no node pool "x" in namespace "n"; there are: a`: &PoolNotFoundError{Namespace: "n", Name: "x",
			Others: []string{"a"}},
		"NodePool n/x: another client has just changed its size from 2 to 3; nothing was written": &ChangedError{
			Object: "NodePool n/x", Field: "its size", Was: "2", Is: "3"},
	} {
		if err.Error() != want {
			t.Errorf("%s, want %s", err, want)
		}
	}
	if (&NotFoundError{}).Hint().String() != "hcctl get clusters -A lists all hosted clusters" ||
		(&NotFoundError{Noun: "node pool"}).Hint().String() != "hcctl get nodepools -A lists all node pools" ||
		(&PoolNotFoundError{}).Hint().String() != "hcctl get nodepools -A lists all node pools" ||
		(&ChangedError{}).Hint().String() != "look at it, and run the command again if it is still wanted" ||
		(&NotInstalledError{}).Failure() != failure.Missing || !strings.Contains((&NotInstalledError{}).Hint().String(),
		"hcctl bootstrap") {
		t.Error("a hint is another")
	}
}
