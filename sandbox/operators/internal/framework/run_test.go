package framework

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/sandbox/operator"
)

func TestLeft(t *testing.T) {
	l := NewRun(nil, operator.Env{Pace: operator.Pace{Speed: 10}})
	if got := l.Remaining(time.Hour, "a"); got <= 0 || got > 6*time.Minute {
		t.Errorf("an hour at speed 10 leaves %v", got)
	}
	if first, second := l.Remaining(time.Hour, "a"), l.Remaining(time.Hour, "a"); second > first {
		t.Errorf("time runs backwards: %v then %v", first, second)
	}
	if got := l.Remaining(0, "b"); got != 0 {
		t.Errorf("work without length leaves %v", got)
	}
	l.since["c"] = time.Now().Add(-time.Hour)
	if got := l.Remaining(time.Hour, "c"); got != 0 {
		t.Errorf("work that is over leaves %v", got)
	}
	l.Forget("c")
	if got := l.Remaining(time.Hour, "c"); got == 0 {
		t.Error("forgotten work must start over")
	}
}

func TestSetConditionsKeepsTransitionTime(t *testing.T) {
	o := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{
		map[string]any{"type": "Available", "status": "True", "reason": "A", "lastTransitionTime": "2020-01-01T00:00:00Z"},
		map[string]any{"type": "Other", "status": "True"},
	}}}}
	when := func() (string, any) {
		list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
		if len(list) != 2 {
			t.Fatalf("%d conditions, want 2", len(list))
		}
		m, ok := list[0].(map[string]any)
		if !ok {
			t.Fatalf("condition is a %T", list[0])
		}
		at, _ := m["lastTransitionTime"].(string)
		return at, m["reason"]
	}
	SetConditions(o, Plain, Condition{"Available", "True", "B", "m"})
	if at, reason := when(); at != "2020-01-01T00:00:00Z" || reason != "B" {
		t.Errorf("same status: %s %v, want the old time and the new reason", at, reason)
	}
	SetConditions(o, Plain, Condition{"Available", "False", "C", "m"})
	if at, _ := when(); at == "2020-01-01T00:00:00Z" {
		t.Error("a changed status must move lastTransitionTime")
	}
	if !ConditionIs(o, "Available", "False") || ConditionIs(o, "Missing", "True") {
		t.Error("conditionIs does not see what is there")
	}
}

func TestHeartbeatStaysWhileNothingChanges(t *testing.T) {
	o := &unstructured.Unstructured{Object: map[string]any{"status": map[string]any{"conditions": []any{
		map[string]any{"type": "Available", "status": "True", "reason": "A", "message": "m",
			"lastHeartbeatTime": "2020-01-01T00:00:00Z"},
	}}}}
	SetConditions(o, Heartbeats, Condition{"Available", "True", "A", "m"})
	list, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	if m, ok := list[0].(map[string]any); !ok || m["lastHeartbeatTime"] != "2020-01-01T00:00:00Z" {
		t.Errorf("heartbeat moved without a change: %v", list[0])
	}
}

func TestAtLeast(t *testing.T) {
	for _, c := range []struct {
		have, want string
		ok         bool
	}{{"4.20", "4.15", true}, {"4.9", "4.15", false}, {"2.10.0", "2.4", true}, {"2.2.0", "2.4", false},
		{"", "2.4", false}} {
		if got := AtLeast(c.have, c.want); got != c.ok {
			t.Errorf("atLeast(%q, %q) = %v", c.have, c.want, got)
		}
	}
}
