package hostedcluster_test

import (
	"testing"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
)

func TestMayBeCreating(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		age       time.Duration
		available metav1.ConditionStatus
		history   []configv1.UpdateState
		replicas  int32
		deleting  bool
		want      bool
	}{
		"nothing is reported yet":                  {age: time.Minute, replicas: 2, want: true},
		"the API server is not up":                 {age: time.Minute, available: metav1.ConditionFalse, replicas: 2, want: true},
		"it rolls out":                             {age: time.Hour, available: metav1.ConditionTrue, history: []configv1.UpdateState{configv1.PartialUpdate}, replicas: 2, want: true},
		"it is complete":                           {age: time.Hour, available: metav1.ConditionTrue, history: []configv1.UpdateState{configv1.CompletedUpdate}, replicas: 2},
		"it is upgraded":                           {age: time.Hour, available: metav1.ConditionTrue, history: []configv1.UpdateState{configv1.PartialUpdate, configv1.CompletedUpdate}, replicas: 2},
		"it was complete and is down":              {age: time.Hour, available: metav1.ConditionFalse, history: []configv1.UpdateState{configv1.CompletedUpdate}, replicas: 2},
		"without workers it is available":          {age: time.Hour, available: metav1.ConditionTrue},
		"without workers it is not available":      {age: time.Hour, available: metav1.ConditionFalse, want: true},
		"it is being deleted":                      {age: time.Minute, replicas: 2, deleting: true},
		"it did not come up in the first 6 hours":  {age: 6 * time.Hour, replicas: 2},
		"it did not come up in just under 6 hours": {age: 6*time.Hour - time.Second, replicas: 2, want: true},
	} {
		hc := &hyperv1.HostedCluster{}
		hc.CreationTimestamp = metav1.NewTime(now.Add(-tc.age))
		if tc.deleting {
			hc.DeletionTimestamp = ptr.To(metav1.NewTime(now))
		}
		if tc.available != "" {
			hc.Status.Conditions = []metav1.Condition{{Type: string(hyperv1.HostedClusterAvailable), Status: tc.available}}
		}
		if tc.history != nil {
			hc.Status.Version = &hyperv1.ClusterVersionStatus{}
			for _, state := range tc.history {
				hc.Status.Version.History = append(hc.Status.Version.History, configv1.UpdateHistory{State: state})
			}
		}
		pools := []hyperv1.NodePool{{Spec: hyperv1.NodePoolSpec{Replicas: &tc.replicas}}}
		if got := hostedcluster.MayBeCreating(hc, pools, now); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}

func TestIsOlder(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		created time.Time
		than    time.Duration
		want    bool
	}{
		"any age":                  {now, 0, true},
		"younger":                  {now.Add(-59 * time.Minute), time.Hour, false},
		"as old":                   {now.Add(-time.Hour), time.Hour, false},
		"older":                    {now.Add(-61 * time.Minute), time.Hour, true},
		"from a server that leads": {now.Add(time.Minute), time.Second, false},
		"of unknown age":           {time.Time{}, time.Hour, false},
		"of unknown age, any":      {time.Time{}, 0, true},
	} {
		if got := hostedcluster.IsOlder(tc.created, now, tc.than); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}
