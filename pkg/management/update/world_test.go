package update

import (
	"strings"
	"testing"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/management"
	"github.com/hcctl/hcctl/pkg/step"
)

// to is a route from 4.20.3; empty for no target.
func to(t *testing.T, target string) route {
	t.Helper()
	from, _ := hostedcluster.ParseVersion("4.20.3")
	r, err := routeTo(from, target, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// told are findings as lines: verdict, object, message.
func told(findings []step.Finding) string {
	var lines []string
	for _, f := range findings {
		lines = append(lines, management.Verdict(f.State).String()+" "+f.Object+": "+f.Message)
	}
	return strings.Join(lines, "\n")
}

// expect compares findings with lines, of which each is the beginning of one.
func expect(t *testing.T, got []step.Finding, want ...string) {
	t.Helper()
	lines := strings.Split(told(got), "\n")
	if len(lines) != len(want) {
		t.Errorf("got:\n%s\nwant:\n%s", told(got), strings.Join(want, "\n"))
		return
	}
	for i := range lines {
		if !strings.HasPrefix(lines[i], want[i]) {
			t.Errorf("got  %s\nwant %s", lines[i], want[i])
		}
	}
}

// condition is "TYPE STATUS REASON message".
func condition(text string) configv1.ClusterOperatorStatusCondition {
	p := append(strings.SplitN(text, " ", 4), "", "", "")
	return configv1.ClusterOperatorStatusCondition{Type: configv1.ClusterStatusConditionType(p[0]),
		Status: configv1.ConditionStatus(p[1]), Reason: p[2], Message: p[3]}
}

func conditions(texts ...string) []configv1.ClusterOperatorStatusCondition {
	var list []configv1.ClusterOperatorStatusCondition
	for _, text := range texts {
		list = append(list, condition(text))
	}
	return list
}

// openShift is a ClusterVersion of 4.20.3 in channel stable-4.20 that is well.
func openShift(more ...string) *configv1.ClusterVersion {
	cv := &configv1.ClusterVersion{ObjectMeta: metav1.ObjectMeta{Name: "version"}}
	cv.Spec.Channel = "stable-4.20"
	cv.Status.Desired.Version = "4.20.3"
	cv.Status.History = []configv1.UpdateHistory{{State: configv1.CompletedUpdate, Version: "4.20.3"}}
	cv.Status.Conditions = conditions(append([]string{"Available True", "Progressing False"}, more...)...)
	return cv
}

// offered adds recommended updates.
func offered(cv *configv1.ClusterVersion, versions ...string) *configv1.ClusterVersion {
	for _, v := range versions {
		cv.Status.AvailableUpdates = append(cv.Status.AvailableUpdates, configv1.Release{Version: v})
	}
	return cv
}

// conditional adds an update with a risk; recommended is the status of that condition.
func conditional(cv *configv1.ClusterVersion, version, recommended string) *configv1.ClusterVersion {
	u := configv1.ConditionalUpdate{Release: configv1.Release{Version: version},
		Risks: []configv1.ConditionalUpdateRisk{{Name: "Slow", Message: "may be\nslow", URL: "https://example.com/slow"}}}
	if recommended != "" {
		u.Conditions = []metav1.Condition{{Type: "Recommended", Status: metav1.ConditionStatus(recommended)}}
	}
	cv.Status.ConditionalUpdates = append(cv.Status.ConditionalUpdates, u)
	return cv
}

// object parses JSON into an object.
func object(t *testing.T, text string) unstructured.Unstructured {
	t.Helper()
	var u unstructured.Unstructured
	if err := json.Unmarshal([]byte(text), &u.Object); err != nil {
		t.Fatal(err)
	}
	return u
}

// install puts an operator on the cluster: a ClusterServiceVersion, and a Subscription in the channel unless that is
// empty.
func (w *snapshot) install(name, csv, version, channel string) {
	b := bundle{}
	b.Metadata.Namespace, b.Metadata.Name, b.Spec.Version, b.Status.Phase = name, csv, version, "Succeeded"
	w.bundles.Items = append(w.bundles.Items, b)
	if channel == "" {
		return
	}
	s := olmv1alpha1.Subscription{ObjectMeta: metav1.ObjectMeta{Namespace: name, Name: name}}
	s.Spec = &olmv1alpha1.SubscriptionSpec{Package: name, Channel: channel}
	s.Status.InstalledCSV = csv
	w.subscriptions.Items = append(w.subscriptions.Items, s)
}

// host adds a hosted cluster of namespace clusters, with a node pool of its name for each further version.
func (w *snapshot) host(name, version string, pools ...string) *hyperv1.HostedCluster {
	hc := hyperv1.HostedCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: name}}
	if version != "" {
		hc.Status.Version = &hyperv1.ClusterVersionStatus{History: []configv1.UpdateHistory{{
			State: configv1.CompletedUpdate, Version: version}}}
	}
	w.hosted.Items = append(w.hosted.Items, hc)
	for _, v := range pools {
		np := hyperv1.NodePool{ObjectMeta: metav1.ObjectMeta{Namespace: "clusters", Name: name + "-" + v}}
		np.Spec.ClusterName, np.Status.Version = name, v
		w.pools.Items = append(w.pools.Items, np)
	}
	return &w.hosted.Items[len(w.hosted.Items)-1]
}

// budget is a PodDisruptionBudget that allows so many disruptions.
func budget(namespace, name string, allowed, pods int32) management.Budget {
	b := management.Budget{}
	b.Metadata.Namespace, b.Metadata.Name, b.Metadata.Generation = namespace, name, 1
	b.Status.ObservedGeneration, b.Status.DisruptionsAllowed = 1, allowed
	b.Status.ExpectedPods, b.Status.CurrentHealthy, b.Status.DesiredHealthy = pods, pods, pods-allowed
	return b
}
