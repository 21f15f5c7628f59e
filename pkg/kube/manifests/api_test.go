package manifests

import (
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/json"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/kubetest"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

// serviceAccount is a kind that hcctl does not know by itself.
func serviceAccount() kube.Kind {
	k := kube.Kind{Plural: "serviceaccounts", Namespaced: true}
	k.Version, k.Kind = "v1", "ServiceAccount"
	return k
}

const operatorDirectory = hyperConvergedCRD + `
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: sa, namespace: kv}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: operator, namespace: kv, annotations: {mine: kept}}
`

func read(t *testing.T, text string) List {
	t.Helper()
	all, err := ReadDirectory(directory(t, map[string]string{"a.yaml": text}))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestApplyAndCheck(t *testing.T) {
	api := kubetest.Serve(t)
	api.Register(t, serviceAccount())
	all := read(t, operatorDirectory)
	check := func(all List, want step.State, says string) {
		t.Helper()
		f := all.Check(t.Context(), api.Client)
		switch {
		case f != nil:
			steptest.Expect(t, *f, want, says)
		case want != step.StateOK:
			t.Errorf("nothing found, want %s with %q", want, says)
		}
	}
	check(all, step.StateMissing, "it is not there (a.yaml, document")
	change, err := all.Apply(t.Context(), api.Client)
	if change != step.Created || err != nil {
		t.Fatalf("%s, %v", change, err)
	}
	var writes []string
	for _, w := range api.Writes() {
		writes = append(writes, w.Resource)
	}
	if got := strings.Join(writes, " "); got !=
		"customresourcedefinitions.apiextensions.k8s.io serviceaccounts deployments.apps" {
		t.Errorf("wrote %s", got)
	}
	sa := api.Object(t, serviceAccount(), "kv", "sa")
	if sa == nil || sa.GetAnnotations()[manifestAnnotation] != all[1].digest() {
		t.Errorf("got %v", sa)
	}
	if change, err := all.Apply(t.Context(), api.Client); change != step.Unchanged || err != nil {
		t.Errorf("again: %s, %v", change, err)
	}
	check(all, step.StatePending, "not reported yet")
	// What is missing goes before what is on its way, wherever it stands.
	changed := read(t, strings.Replace(operatorDirectory, "kept", "changed", 1))
	check(changed, step.StateMissing, "it was not applied from the current content of a.yaml, document 3")
	api.Refuse("deployments.apps", 403)
	check(all, step.StateUnknown, "not allowed")
	if _, err := all.Apply(t.Context(), api.Client); err == nil ||
		!strings.HasPrefix(err.Error(), "a.yaml, document 3: ") {
		t.Errorf("got %v", err)
	}
}

func TestAKindThatIsNotServed(t *testing.T) {
	api := kubetest.Serve(t)
	all := read(t, hyperConvergedCRD+`
---
apiVersion: cert-manager.io/v1
kind: Issuer
metadata: {name: issuer, namespace: kv}
`)
	if _, err := all.Apply(t.Context(), api.Client); err == nil ||
		!strings.Contains(err.Error(), "a.yaml, document 2: Issuer kv/issuer") {
		t.Errorf("got %v", err)
	}
	f := all.Operator()[1:].Check(t.Context(), api.Client)
	if f == nil {
		t.Fatal("nothing found")
	}
	steptest.Expect(t, *f, step.StateMissing, "its kind is not served yet", "Issuer kv/issuer")
}

func TestCustomAndFind(t *testing.T) {
	all := read(t, operatorDirectory+`
---
apiVersion: hco.kubevirt.io/v1beta1
kind: HyperConverged
metadata: {name: kubevirt-hyperconverged, namespace: kv}
`)
	if custom := all.Custom(); len(custom) != 1 || custom[0].GetKind() != "HyperConverged" {
		t.Errorf("got %v", custom)
	}
	if got := all.Find("apps", "Deployment"); got == nil || got.GetName() != "operator" {
		t.Errorf("got %v", got)
	}
	for group, kind := range map[string]string{"": "Deployment", "apps": "HyperConverged"} {
		if got := all.Find(group, kind); got != nil {
			t.Errorf("%s of group %q: got %v", kind, group, got)
		}
	}
}

// TestAJobThatRemovesItself: it is not applied again because it is gone.
func TestAJobThatRemovesItself(t *testing.T) {
	api := kubetest.Serve(t)
	const job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: job, namespace: kv}\n"
	for text, gone := range map[string]bool{job + "spec: {ttlSecondsAfterFinished: 0}\n": true, job: false} {
		if f := read(t, text).CheckUp(t.Context(), api.Client); (f == nil) != gone {
			t.Errorf("%s: %+v", text, f)
		}
	}
}

func TestJudgeUp(t *testing.T) {
	all := read(t, operatorDirectory+`
---
apiVersion: batch/v1
kind: Job
metadata: {name: job, namespace: kv}
`)
	for _, tc := range []struct {
		name, status string
		want         step.State
		says         string
	}{
		{"hyperconvergeds.hco.kubevirt.io", `{"conditions": [{"type": "NamesAccepted", "status": "False", "message": "taken"}]}`,
			step.StateBroken, "another CRD has one of its names"},
		{"operator", `{}`, step.StatePending, "its controller has not processed it yet"},
		{"operator", `{"observedGeneration": 1, "conditions": [{"type": "Progressing", "status": "False", "reason": ` +
			`"ProgressDeadlineExceeded", "message": "timed out"}]}`, step.StateBroken, "timed out"},
		{"job", `{"conditions": [{"type": "Failed", "status": "True", "reason": "BackoffLimitExceeded"}]}`, step.StateBroken,
			"BackoffLimitExceeded"},
		{"sa", `{"conditions": [{"type": "Ready", "status": "False"}]}`, step.StateOK, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			i := slices.IndexFunc(all, func(m Manifest) bool { return m.GetName() == tc.name })
			u := all[i].DeepCopy()
			u.SetGeneration(1)
			status := map[string]any{}
			if err := json.Unmarshal([]byte(tc.status), &status); err != nil {
				t.Fatal(err)
			}
			u.Object["status"] = status
			f := all[i].judgeReady(u, time.Time{})
			switch {
			case f != nil:
				steptest.Expect(t, *f, tc.want, tc.says)
			case tc.want != step.StateOK:
				t.Errorf("nothing found, want %s", tc.want)
			}
		})
	}
}
