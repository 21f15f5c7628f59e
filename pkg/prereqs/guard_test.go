package prereqs

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/plan"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/step"
)

// TestNothingIsWrittenWhereOneWriteIsRefused has a step of two writes, the second of which the API server refuses.
func TestNothingIsWrittenWhereOneWriteIsRefused(t *testing.T) {
	api := prereqtest.Serve(t)
	asked := 0
	apply := guard{}.before(func(ctx context.Context, c *kube.Client) (step.Change, error) {
		if !c.IsPlanning() {
			asked++
		}
		for _, o := range []string{"first", "second"} {
			if _, err := c.CreateOnce(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: o}}); err != nil {
				return "", err
			}
		}
		return c.CreateOnce(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "first", Name: "third"}})
	})
	api.Refuse("dry run configmaps", http.StatusForbidden)
	if _, err := apply(t.Context(), api.Client); err == nil || !strings.Contains(err.Error(), "ConfigMap first/third") {
		t.Errorf("got %v", err)
	}
	if writes := api.Writes(); len(writes) > 0 || asked > 0 {
		t.Errorf("written although the last write is refused: %v", writes)
	}
	api.Refuse("dry run configmaps", 0)
	change, err := apply(t.Context(), api.Client)
	if err != nil || change != step.Created || asked != 1 || len(api.Writes()) != 3 {
		t.Errorf("%s, %v; written %v", change, err, api.Writes())
	}
}

func TestJudge(t *testing.T) {
	fields := func(manager string) string {
		return fmt.Sprintf(`managedFields: [{manager: %s, fieldsType: FieldsV1, operation: Update,
			fieldsV1: {"f:spec": {"f:policy": {}}}}]`, manager)
	}
	const argo = `annotations: {argocd.argoproj.io/tracking-id: "app:x/X:ns/x"}`
	for name, tc := range map[string]struct {
		guard               guard
		meta, before, after string
		refused             string
		verb                plan.Verb
	}{
		"a value of a person": {meta: fields("kubectl-edit"), before: "a", after: "b",
			refused: `X ns/x: spec.policy is "a", set by kubectl-edit, and would become "b": hcctl keeps what others have decided`},
		"removed":             {meta: fields("kubectl-edit"), before: "a", after: `""`, refused: `would become ""`},
		"taken over":          {guard: guard{takenOver: true}, meta: fields("kubectl-edit"), before: "a", after: "b"},
		"judged by its check": {guard: guard{replaces: []string{"spec.policy"}}, meta: fields("operator"), before: "a", after: "b"},
		"of another field": {guard: guard{replaces: []string{"spec.other"}}, meta: fields("operator"), before: "a", after: "b",
			refused: "spec.policy"},
		"hcctl's own":  {meta: fields("hcctl"), before: "a", after: "b"},
		"nobody's":     {before: `""`, after: "b"},
		"nobody knows": {before: "a", after: "b", refused: `spec.policy is "a", and would become "b"`},
		"the same":     {meta: fields("kubectl-edit"), before: "a", after: "a"},
		"created":      {before: "a", after: "b", verb: plan.VerbCreate},
		"GitOps' value": {guard: guard{takenOver: true}, meta: argo + ", " + fields("argocd-controller"), before: "a", after: "b",
			refused: `and Argo CD (application app) puts that back whenever it is changed: change it in the source of Argo CD's ` +
				`application app`},
		"a person's value on an object of GitOps": {guard: guard{takenOver: true}, meta: argo + ", " + fields("kubectl-edit"),
			before: "a", after: "b"},
		"a field that GitOps does not have": {meta: argo, before: `""`, after: "b"},
		"an object of the hub": {guard: guard{takenOver: true}, before: `""`, after: "b",
			meta: `labels: {multiclusterhubs.operator.open-cluster-management.io/managed-by: "true", installer.name: hub}`,
			refused: "X ns/x belongs to Advanced Cluster Management (MultiClusterHub hub), which puts back what is changed: " +
				"change it in MultiClusterHub hub"},
	} {
		t.Run(name, func(t *testing.T) {
			object := func(value string) *unstructured.Unstructured {
				u := &unstructured.Unstructured{}
				text := fmt.Sprintf("{apiVersion: x/v1, kind: X, metadata: {name: x, namespace: ns, %s}, spec: {policy: %s}}",
					tc.meta, value)
				if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
					t.Fatal(err)
				}
				return u
			}
			w := plan.Write{Verb: plan.VerbChange, Before: object(tc.before), After: object(tc.after)}
			if tc.verb != "" {
				w.Verb = tc.verb
			}
			err := tc.guard.judge(w)
			if (err != nil) != (tc.refused != "") || err != nil && !strings.Contains(err.Error(), tc.refused) {
				t.Errorf("got %v, want %q", err, tc.refused)
			}
		})
	}
}

func TestTakeOver(t *testing.T) {
	for _, given := range [][]string{{"ingress/wildcard"}, {"multicluster/component", "storage/default-class"}} {
		if _, err := (Options{TakeOver: given}).Validate(); err != nil {
			t.Errorf("%v: %v", given, err)
		}
	}
	for _, given := range []string{"", "ingress", "cluster/version", "ingress/dns"} {
		_, err := Options{TakeOver: []string{given}}.Validate()
		if err == nil || !strings.Contains(err.Error(), "use one of") || !strings.Contains(err.Error(), "ingress/wildcard") {
			t.Errorf("%q: %v", given, err)
		}
	}
}
