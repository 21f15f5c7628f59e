package hostpath

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
	"github.com/hcctl/hcctl/sandbox/profile"
)

func object(t *testing.T, name, spec string) *unstructured.Unstructured {
	t.Helper()
	o := framework.Unstructured(kind)
	if err := yaml.Unmarshal([]byte("{spec: "+spec+"}"), &o.Object); err != nil {
		t.Fatal(err)
	}
	o.SetGroupVersionKind(kind)
	o.SetName(name)
	return o
}

func TestWebhook(t *testing.T) {
	long := strings.Repeat("x", 51)
	for spec, want := range map[string]string{
		"{}": "either pathConfig or storage pools must be set",
		"{pathConfig: {path: /var/a}, storagePools: [{name: a, path: /var/a}]}": "cannot be both set",
		"{pathConfig: {}}":                                                                 "pathconfig path must be set",
		"{storagePools: [{name: '', path: /var/a}]}":                                       "name cannot be blank",
		"{storagePools: [{name: " + long + ", path: /var/a}]}":                             "greater than 50",
		"{storagePools: [{name: a, path: ''}]}":                                            "path cannot be blank",
		"{storagePools: [{name: a, path: /" + strings.Repeat(long, 5) + "}]}":              "greater than 255",
		"{storagePools: [{name: a, path: /var/a}, {name: b, path: /var/a}]}":               "cannot have duplicate paths",
		"{storagePools: [{name: a, path: /var/a}, {name: a, path: /var/b}]}":               "cannot have duplicate names",
		"{storagePools: [{name: a, path: /var/a}, {name: b, path: /var/b}], workload: {}}": "",
	} {
		if err := valid(object(t, "hpp", spec)); err == nil && want != "" ||
			err != nil && (want == "" || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", spec, err, want)
		}
	}
}

// A HostPathProvisioner goes through the states of the real operator: it deploys as long as no pod was ever ready, is
// degraded later, and nothing is done for two.
func TestConditions(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	hpp := object(t, "hpp", "{storagePools: [{name: local, path: /var/a}]}")
	hpp.SetUID("1")
	c := fake.NewClientBuilder().WithScheme(scheme).WithStatusSubresource(&appsv1.DaemonSet{}).
		WithObjects(hpp, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "w",
			Labels: map[string]string{"node-role.kubernetes.io/worker": ""}}}).Build()
	env := operator.Env{Client: c, Live: c, Profile: profile.Profile{OpenShift: "4.20.1"}}
	p := &provisioner{framework.NewRun(nil, env), "openshift-cnv"}
	want := func(when string, ready int32, conditions string) {
		t.Helper()
		d := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "openshift-cnv", Name: workload}}
		if found, err := framework.Exists(t.Context(), c, d); err != nil {
			t.Fatal(err)
		} else if found {
			d.Status.DesiredNumberScheduled, d.Status.NumberReady = 1, ready
			if err := c.Status().Update(t.Context(), d); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(hpp), hpp); err != nil {
			t.Fatal(err)
		}
		if _, err := p.reconcile(t.Context(), hpp); err != nil && !strings.Contains(conditions, "items found") {
			t.Fatal(err)
		} else if err != nil {
			if !strings.Contains(err.Error(), conditions) {
				t.Errorf("%s: %v, want %s", when, err, conditions)
			}
			return
		}
		var got []string
		list, _, _ := unstructured.NestedSlice(hpp.Object, "status", "conditions")
		for _, one := range list {
			m, _ := one.(map[string]any)
			reason, _ := m["reason"].(string)
			status, _ := m["status"].(string)
			got = append(got, strings.TrimSuffix(status+" "+reason, " "))
		}
		if strings.Join(got, ", ") != conditions {
			t.Errorf("%s: Available, Progressing, Degraded %s, want %s", when, strings.Join(got, ", "), conditions)
		}
	}
	want("new", 0, "False, True DeployStarted, False")
	want("never ready", 0, "False, True DeployStarted, False")
	want("ready", 1, "True Complete, False, False")
	want("no longer ready", 0, "False, False, True Degraded")
	if err := c.Create(t.Context(), object(t, "second", "{storagePools: [{name: b, path: /var/b}]}")); err != nil {
		t.Fatal(err)
	}
	want("two", 1, "2 items found")
}
