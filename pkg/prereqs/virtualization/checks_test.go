package virtualization

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/Masterminds/semver/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/step"
)

func TestJudgeKVM(t *testing.T) {
	able := func(n *corev1.Node) {
		n.Status.Allocatable = corev1.ResourceList{kvmResource: resource.MustParse("1000")}
	}
	closed := func(n *corev1.Node) {
		able(n)
		n.Labels = map[string]string{schedulableLabel: "false"}
	}
	none := func(n *corev1.Node) { n.Status.Allocatable = corev1.ResourceList{kvmResource: resource.MustParse("0")} }
	plain := func(n *corev1.Node) {
		n.Labels = map[string]string{featureLabels + "cpu-model.vendor_id": "Intel", featureLabels +
			"cpu-cpuid.AESNI": "true"}
	}
	virtual := func(n *corev1.Node) { n.Labels = map[string]string{featureLabels + "cpu-cpuid.SVM": "true"} }
	for name, tc := range map[string]struct {
		a, b     func(*corev1.Node)
		handlers []time.Duration // how long those of a and b are ready
		want     step.State
		says     string
	}{
		"all": {able, able, nil, step.StateOK, "all 2 workers"},
		"some": {able, none, nil, step.StateOK,
			"1 of 2 workers offer it; none of: b (no devices.kubevirt.io/kvm)"},
		"one closed":               {able, closed, nil, step.StateOK, "none of: b (kubevirt.io/schedulable=false)"},
		"none yet":                 {none, nil, nil, step.StatePending, "no worker can run virtual machines yet"},
		"handlers up a moment ago": {none, none, []time.Duration{time.Hour, time.Second}, step.StatePending, "yet"},
		"one handler not up":       {none, none, []time.Duration{time.Hour}, step.StatePending, "yet"},
		"none, and handlers long up": {none, closed, []time.Duration{time.Hour, time.Hour}, step.StateBroken,
			"a (no devices.kubevirt.io/kvm), b (kubevirt.io/schedulable=false)"},
		"features found none": {plain, plain, nil, step.StateBroken,
			"Node Feature Discovery finds no processor that virtualizes"},
		"features found one":                {plain, virtual, nil, step.StatePending, "yet"},
		"features not looked at everywhere": {plain, none, nil, step.StatePending, "yet"},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Now()
			since := map[string]time.Time{}
			for i, age := range tc.handlers {
				since[string(rune('a'+i))] = now.Add(-age)
			}
			f := judgeKVM([]corev1.Node{prereqtest.Worker("a", true, tc.a), prereqtest.Worker("b", true, tc.b)}, since, now)
			prereqtest.Expect(t, f, tc.want, tc.says)
			if tc.want == step.StateBroken && !strings.Contains(f.Hint.String(), "VT-x") {
				t.Errorf("hint %q", f.Hint.String())
			}
		})
	}
}

func TestReadyHandlers(t *testing.T) {
	pod := func(node string, ready corev1.ConditionStatus) corev1.Pod {
		return corev1.Pod{Spec: corev1.PodSpec{NodeName: node},
			Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}}}
	}
	leaving := pod("c", corev1.ConditionTrue)
	leaving.DeletionTimestamp = &metav1.Time{Time: time.Now()}
	since := readySince([]corev1.Pod{pod("a", corev1.ConditionTrue), pod("b", corev1.ConditionFalse), leaving})
	if _, ok := since["a"]; !ok || len(since) != 1 {
		t.Errorf("got %v, want a alone", since)
	}
}

func TestJudgeVirtualizationVersion(t *testing.T) {
	for name, tc := range map[string]struct {
		virt, kubernetes, product, openShift string
		demanding                            bool
		want                                 step.State
		says                                 string
	}{
		"fits": {"v1.6.2", "v1.33.5", "4.20.1", "4.20.3", true, step.StateOK,
			"KubeVirt v1.6.2 on Kubernetes v1.33.5"},
		"build of a release": {"v1.0.0-rc.1", "v1.27.0+abc", "", "4.14.1", true, step.StateOK, "v1.0.0-rc.1"},
		"KubeVirt too old": {"v0.59.2", "v1.27.1", "4.13.1", "4.14.1", true, step.StateBroken,
			"KubeVirt is v0.59.2; multicluster engine 2.5 and later need 1.0.0 or later"},
		"Kubernetes too old":    {"v1.0.1", "v1.26.9", "", "4.14.1", true, step.StateBroken, "Kubernetes is v1.26.9"},
		"old, and nobody minds": {"v0.58.1", "v1.25.0", "4.12.3", "4.12.45", false, step.StateOK, "v0.58.1"},
		"made for another OpenShift": {"v1.5.3", "v1.33.5", "4.19.4", "4.20.3", true, step.StateOK,
			"OpenShift Virtualization 4.19.4 is made for OpenShift 4.19, not for 4.20.3"},
		"4.23 on 5.0": {"v1.9.0", "v1.36.1", "4.23.1", "5.0.2", true, step.StateOK, "KubeVirt v1.9.0 on Kubernetes v1.36.1"},
		"5.0 on 4.23": {"v1.9.0", "v1.36.1", "5.0.1", "4.23.2", true, step.StateOK, "KubeVirt v1.9.0 on Kubernetes v1.36.1"},
		"5.0 on 5.1":  {"v1.9.0", "v1.37.1", "5.0.1", "5.1.0", true, step.StateOK, "5.0.1 is made for OpenShift 5.0, not for 5.1.0"},
		"the community's numbering": {"v1.6.2", "v1.33.5", "1.16.0", "4.20.3", true, step.StateOK,
			"KubeVirt v1.6.2 on Kubernetes v1.33.5"},
		"a version that is no version": {"devel", "v1.33.5", "", "4.20.3", true, step.StateUnknown,
			`"devel", cannot be read`},
	} {
		t.Run(name, func(t *testing.T) {
			f := judgeVirtualizationVersion(tc.virt, tc.kubernetes, tc.product, semver.MustParse(tc.openShift), tc.demanding)
			prereqtest.Expect(t, f, tc.want, tc.says)
			if strings.Contains(f.Message, "made for") != strings.Contains(tc.says, "made for") {
				t.Errorf("message %q", f.Message)
			}
		})
	}
}

func TestHyperConvergedTellsWhatDoesNotKeepItFromWorking(t *testing.T) {
	hc := &unstructured.Unstructured{Object: map[string]any{
		"kind": "HyperConverged", "metadata": map[string]any{"name": hyperConvergedName, "namespace": "openshift-cnv",
			"annotations": map[string]any{"kubevirt.kubevirt.io/jsonpatch": "[]", "other": ""}},
		"status": map[string]any{"systemHealthStatus": "warning",
			"versions": []any{map[string]any{"name": "operator", "version": "4.20.1"}}, "conditions": []any{
				map[string]any{"type": "ReconcileComplete", "status": "True"},
				map[string]any{"type": "Available", "status": "True"},
				map[string]any{"type": "Progressing", "status": "False"}, map[string]any{"type": "Degraded", "status": "False"},
				map[string]any{"type": "TaintedConfiguration", "status": "True", "reason": "UnsupportedFeatureAnnotation",
					"message": "Unsupported feature was activated via an HCO annotation"},
				map[string]any{"type": "VirtNetworkResourcesInjectorReady", "status": "False", "reason": "NotReady"},
			}},
	}}
	prereqtest.Expect(t, judgeHyperConverged([]unstructured.Unstructured{*hc}, time.Now()), step.StateOK,
		"Available, version 4.20.1; systemHealthStatus warning: see its alerts; TaintedConfiguration True "+
			"(UnsupportedFeatureAnnotation): Unsupported feature was activated via an HCO annotation (annotation "+
			"kubevirt.kubevirt.io/jsonpatch); VirtNetworkResourcesInjectorReady False (NotReady)")
}

func TestADegradedHyperConvergedSaysWhereToLook(t *testing.T) {
	hc := &unstructured.Unstructured{Object: map[string]any{
		"kind": "HyperConverged", "metadata": map[string]any{"name": hyperConvergedName, "namespace": "openshift-cnv"},
		"status": map[string]any{"conditions": []any{map[string]any{"type": "Degraded", "status": "True",
			"reason": "CDIDegraded", "message": "CDI is degraded"}}},
	}}
	f := judgeHyperConverged([]unstructured.Unstructured{*hc}, time.Now())
	prereqtest.Expect(t, f, step.StatePending, "Degraded True (CDIDegraded): CDI is degraded")
	if !f.Trouble || !strings.Contains(f.Hint.String(), "-n openshift-cnv") {
		t.Errorf("got %+v", f)
	}
}

func TestVirtualizationSource(t *testing.T) {
	for source, want := range map[string]string{
		"": olm.Virtualization().Package + "@", "redhat": olm.Virtualization().Package + "@",
		"community": olm.CommunityVirtualization().Package + "@",
		"quay.io/kubevirt/hyperconverged-cluster-index:1.16.0": olm.CommunityVirtualization().Package + "@" +
			virtualizationCatalog,
		"registry:5000/index@sha256:" + strings.Repeat("0a", 32): olm.CommunityVirtualization().Package + "@" +
			virtualizationCatalog,
	} {
		o := Options{Source: source}
		if err := o.Validate(); err != nil {
			t.Errorf("%q refused: %v", source, err)
		}
		if row := o.row(nil); row.Package+"@"+row.Pin.CatalogSource != want {
			t.Errorf("%q: %s@%s, want %s", source, row.Package, row.Pin.CatalogSource, want)
		}
	}
	for _, source := range []string{"upstream", "quay.io/kubevirt/index", "docker://quay.io/kubevirt/index:1",
		"quay.io/kubevirt/index:1 "} {
		if err := (Options{Source: source}).Validate(); err == nil ||
			!strings.HasPrefix(err.Error(), "virtualization.source ") {
			t.Errorf("%q: %v", source, err)
		}
	}
	if err := (Options{Source: "community", Manifests: "x"}).Validate(); err == nil {
		t.Error("source and manifests together are accepted")
	}
}

func TestCatalogOfAnImage(t *testing.T) {
	u := newCatalog("quay.io/x/y:1")
	if u.GetNamespace() != olm.Marketplace || !strings.HasPrefix(u.GetName(), "hcctl-") ||
		kube.Text(u, "spec", "image") != "quay.io/x/y:1" || kube.Text(u, "spec", "sourceType") != "grpc" {
		t.Errorf("got %v", u.Object)
	}
	if f := (virtualizationOperator{}).checkCatalog(context.Background(), nil); f != nil {
		t.Errorf("without an image a catalog is asked for: %+v", f)
	}
}
