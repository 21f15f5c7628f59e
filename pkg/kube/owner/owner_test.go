package owner

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func managed(manager, fields string, at time.Time) metav1.ManagedFieldsEntry {
	e := metav1.ManagedFieldsEntry{Manager: manager, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(fields)}
	if !at.IsZero() {
		stamp := metav1.NewTime(at)
		e.Time = &stamp
	}
	return e
}

const policyField = `{"f:spec":{"f:routeAdmission":{"f:wildcardPolicy":{}}}}`

func TestOf(t *testing.T) {
	instance := managed("argocd-controller", `{"f:metadata":{"f:labels":{"f:app.kubernetes.io/instance":{}}}}`, time.Time{})
	for name, tc := range map[string]struct {
		meta        metav1.ObjectMeta
		want, where string
	}{
		"nobody":             {},
		"hcctl":              {meta: metav1.ObjectMeta{Labels: map[string]string{managedByLabel: Hcctl}}},
		"another's instance": {meta: metav1.ObjectMeta{Labels: map[string]string{instanceLabel: "web"}}},
		"argo by label": {meta: metav1.ObjectMeta{Labels: map[string]string{instanceLabel: "web"},
			ManagedFields: []metav1.ManagedFieldsEntry{instance}}, want: "Argo CD (application web)"},
		"argo by annotation": {meta: metav1.ObjectMeta{Name: "default", Annotations: map[string]string{
			argoTracking: "routing:operator.openshift.io/IngressController:openshift-ingress-operator/default"}},
			want: "Argo CD (application routing)", where: "in the source of Argo CD's application routing"},
		"argo, application elsewhere": {meta: metav1.ObjectMeta{Name: "x", Annotations: map[string]string{
			argoTracking: "team-a_routing:v1/ConfigMap:ns/x"}}, want: "Argo CD (application team-a/routing)"},
		"a copied annotation": {meta: metav1.ObjectMeta{Name: "other", Annotations: map[string]string{
			argoTracking: "routing:v1/ConfigMap:ns/x"}}},
		"flux": {meta: metav1.ObjectMeta{Labels: map[string]string{fluxKustomize + "name": "infra",
			fluxKustomize + "namespace": "flux-system"}}, want: "Flux (Kustomization flux-system/infra)"},
		"flux's helm": {meta: metav1.ObjectMeta{Labels: map[string]string{fluxHelm + "name": "metallb"},
			Annotations: map[string]string{helmRelease: "metallb"}}, want: "Flux (HelmRelease metallb)"},
		"helm": {meta: metav1.ObjectMeta{Labels: map[string]string{managedByLabel: "Helm"},
			Annotations: map[string]string{helmRelease: "metallb", helmNamespace: "metallb-system"}},
			want: "Helm (release metallb-system/metallb)", where: "in the values of Helm's release metallb-system/metallb"},
		"hub": {meta: metav1.ObjectMeta{Labels: map[string]string{hubManaged: "true", hubName: "hub", hubNamespace: "acm"}},
			want: "Advanced Cluster Management (MultiClusterHub acm/hub)"},
		"application of the hub": {meta: metav1.ObjectMeta{Annotations: map[string]string{hostingAppLabel: "ns/app"}},
			want: "Advanced Cluster Management (subscription ns/app)"},
		"work": {meta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{Kind: appliedWorkKind, Name: "w",
			APIVersion: "work.open-cluster-management.io/v1"}}},
			want: "Advanced Cluster Management (ManifestWork of AppliedManifestWork w)"},
		"policy": {meta: metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{
			managed(policyManager, policyField, time.Time{})}}, want: "Advanced Cluster Management (a ConfigurationPolicy)"},
		"OLM": {meta: metav1.ObjectMeta{Labels: map[string]string{olmOwner: "metallb-operator.v4.20.0"}},
			want: "Operator Lifecycle Manager (ClusterServiceVersion metallb-operator.v4.20.0)"},
		"any other tool": {meta: metav1.ObjectMeta{Labels: map[string]string{managedByLabel: "terraform"}}, want: "terraform"},
		"hostile": {meta: metav1.ObjectMeta{Name: "x", Annotations: map[string]string{
			argoTracking: "a\nError: $(rm -rf /)\x1b[31m" + strings.Repeat("z", 300) + ":v1/ConfigMap:ns/x"}},
			want: `Argo CD (application "a`},
	} {
		t.Run(name, func(t *testing.T) {
			got := Of(&tc.meta)
			if tc.want == "" {
				if got != nil {
					t.Fatalf("got %s", got)
				}
				return
			}
			if got == nil || !strings.HasPrefix(got.String(), tc.want) || !strings.Contains(got.Where, tc.where) {
				t.Fatalf("got %v %+v, want %s", got, got, tc.want)
			}
			if text := got.String() + got.Where; strings.ContainsAny(text, "\n\x1b") || len(text) > 400 {
				t.Errorf("it is not safe to show: %q", text)
			}
		})
	}
}

func TestKeeps(t *testing.T) {
	path := []string{"spec", "routeAdmission", "wildcardPolicy"}
	tracked := func(entries ...metav1.ManagedFieldsEntry) *metav1.ObjectMeta {
		return &metav1.ObjectMeta{Name: "x", Annotations: map[string]string{argoTracking: "app:v1/X:ns/x"},
			ManagedFields: entries}
	}
	for name, tc := range map[string]struct {
		object *metav1.ObjectMeta
		want   bool
	}{
		"set by Argo CD":       {tracked(managed("argocd-controller", policyField, time.Time{})), true},
		"set by kubectl apply": {tracked(managed("kubectl-client-side-apply", policyField, time.Time{})), true},
		"set by a person":      {tracked(managed("kubectl-edit", policyField, time.Time{})), false},
		"shared with Argo CD": {tracked(managed("kubectl-edit", policyField, time.Now()),
			managed("argocd-controller", policyField, time.Time{})), true},
		"nobody knows": {tracked(), true},
		"by a hub": {&metav1.ObjectMeta{Labels: map[string]string{hubManaged: "true"},
			ManagedFields: []metav1.ManagedFieldsEntry{managed("kubectl-edit", policyField, time.Time{})}}, true},
	} {
		if got := Of(tc.object).Keeps(tc.object, path...); got != tc.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func TestSetBy(t *testing.T) {
	early, late := time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC), time.Date(2026, 2, 2, 3, 4, 0, 0, time.UTC)
	o := &metav1.ObjectMeta{ManagedFields: []metav1.ManagedFieldsEntry{
		managed("installer", `{"f:spec":{"f:routeAdmission":{"f:wildcardPolicy":{}},"f:plugins":{}}}`, early),
		managed("kubectl-edit", policyField, late),
		managed("operator", `{"f:spec":{"f:overrides":{"f:components":{"k:{\"name\":\"hypershift\"}":{".":{},"f:enabled":{}}}}}}`,
			early),
		{Manager: "status", Subresource: "status", FieldsV1: metav1.NewFieldsV1(policyField)},
		{Manager: "nothing"}, managed("broken", `{`, late),
	}}
	for _, tc := range []struct {
		want string
		path []string
	}{
		{"kubectl-edit on 2026-02-02 03:04 UTC", []string{"spec", "routeAdmission", "wildcardPolicy"}},
		{"kubectl-edit on 2026-02-02 03:04 UTC", []string{"spec", "routeAdmission"}},
		{"installer on 2026-01-02 03:04 UTC", []string{"spec", "plugins", Item("name", "a")}},
		{"operator on 2026-01-02 03:04 UTC", []string{"spec", "overrides", "components", Item("name", "hypershift"), "enabled"}},
		{"", []string{"spec", "overrides", "components", Item("name", "console"), "enabled"}},
		{"", []string{"spec", "replicas"}},
	} {
		got, known := SetBy(o, tc.path...)
		if known != (tc.want != "") || known && got.String() != tc.want {
			t.Errorf("%v: got %s, want %s", tc.path, got, tc.want)
		}
	}
	if ByHcctl(o, "spec", "routeAdmission") {
		t.Error("what a person set last is taken for hcctl's")
	}
	o.ManagedFields = append(o.ManagedFields, managed(Hcctl, policyField, late.Add(time.Hour)))
	if !ByHcctl(o, "spec", "routeAdmission") {
		t.Error("what hcctl set last is not taken for hcctl's")
	}
}
