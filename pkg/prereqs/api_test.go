package prereqs

import (
	"slices"
	"strings"
	"testing"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/cluster"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/prereqtest"
	"github.com/hcctl/hcctl/pkg/prereqs/loadbalancer"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/prereqs/storage"
	"github.com/hcctl/hcctl/pkg/prereqs/virtualization"
	"github.com/hcctl/hcctl/pkg/step"
	"github.com/hcctl/hcctl/pkg/step/steptest"
)

func TestNothingIsRemovedUnderHostedClusters(t *testing.T) {
	hosted := func(name string) string {
		return `
---
{apiVersion: hypershift.openshift.io/v1beta1, kind: HostedCluster, metadata: {name: ` + name + `, namespace: clusters}}
`
	}
	api := prereqtest.Serve(t)
	check := func(want step.State, says ...string) {
		t.Helper()
		first := Removal(api.Client, RemovalOptions{})[0]
		steptest.Expect(t, first.Check(t.Context(), nil), want, says...)
	}
	check(step.StateOK, "HyperShift is not installed")
	api.Register(t, kube.HostedCluster)
	check(step.StateOK, "HostedClusters: none")
	api.Put(t, hosted("kv-00"), hosted("kv-01"))
	check(step.StateBroken, "2 are there: clusters/kv-00, clusters/kv-01",
		"hcctl delete cluster kv-00 --namespace clusters")
	api.Refuse("hostedclusters.hypershift.openshift.io", 403)
	check(step.StateUnknown, "HostedClusters", "not allowed")
}

func TestGraph(t *testing.T) {
	ranges, err := Options{LoadBalancer: loadbalancer.Options{MetalLBRanges: []string{"192.0.2.32/28"}}}.Validate()
	if err != nil {
		t.Fatal(err)
	}
	for guarded, o := range map[bool]Validated{false: ValidatedDefaults(), true: ranges} {
		graph, err := Graph(o)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range graph.Steps() {
			if s.Apply != nil && slices.Contains(s.Needs, loadbalancer.Overlap) != guarded {
				t.Errorf("%s needs %v, with ranges: %t", s.ID, s.Needs, guarded)
			}
		}
	}
}

// What rests on an operator can be planned before the operator is there.
func TestPlannedOperatorsShowAsInstalled(t *testing.T) {
	api := prereqtest.Serve(t, prereqtest.Offered("metallb-operator", "metallb-system", "stable",
		"metallb-operator.v4.20.1"))
	planning, _ := Planning(api.Client)
	sub := &olmv1alpha1.Subscription{ObjectMeta: metav1.ObjectMeta{Name: "m", Namespace: "metallb-system"},
		Spec: &olmv1alpha1.SubscriptionSpec{Package: "metallb-operator", CatalogSource: "redhat-operators",
			Channel: "stable"}}
	// Only a Subscription brings anything along.
	other := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "m", Namespace: "metallb-system"}}
	for _, o := range []client.Object{sub, other} {
		if _, err := planning.CreateOnce(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	csv := &olmv1alpha1.ClusterServiceVersion{}
	if err := planning.Get(t.Context(), types.NamespacedName{Namespace: "metallb-system",
		Name: "metallb-operator.v4.20.1"}, csv); err != nil || csv.Status.Phase != "Succeeded" {
		t.Errorf("got %s, %v", csv.Status.Phase, err)
	}
	if writes := api.Writes(); len(writes) > 0 {
		t.Errorf("the plan has written %v", writes)
	}
}

func TestPreflightIDsAreThoseOfPreflight(t *testing.T) {
	ids := PreflightIDs()
	for _, s := range Preflight(nil, prereq.Wanted{PassesThrough: true, LoadBalancer: true, DefaultClass: true}) {
		if !slices.Contains(ids, s.ID) {
			t.Errorf("%s is missing", s.ID)
		}
	}
	for _, id := range []step.ID{cluster.Nodes, storage.Etcd} {
		if slices.Contains(ids, id) {
			t.Errorf("%s is no check of the preflight", id)
		}
	}
}

func TestOptionsAreRefused(t *testing.T) {
	for says, o := range map[string]Options{
		"storage.mode":              {Storage: storage.Options{Mode: "typo"}},
		"loadBalancer.mode":         {LoadBalancer: loadbalancer.Options{Mode: "typo"}},
		"virtualization.source":     {Virtualization: virtualization.Options{Source: "typo"}},
		"operators.typo":            {Operators: map[string]olm.Pin{"typo": {}}},
		"loadBalancer.metallbRange": {LoadBalancer: loadbalancer.Options{MetalLBRanges: []string{"typo"}}},
	} {
		if _, err := o.Validate(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got %v, want %q", err, says)
		}
	}
}
