package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestWaitedOn: all are waited for once each has said so, and a cluster whose wait did not succeed is not done.
func TestWaitedOn(t *testing.T) {
	const events = `{"type":"plan"}
{"type":"waiting","step":"kv-0001/cluster/etcd","finding":{"state":"pending"}}
{"type":"checked","step":"kv-0001/cluster/api","finding":{"state":"pending"}}
{"type":"waiting","step":"kv-0001/cluster/api","finding":{"state":"pending"}}
`
	s := &waitedOn{clusters: 2, pending: map[string]bool{}, begun: make(chan struct{})}
	_ = s.read(json.NewDecoder(strings.NewReader(events)))
	if s.waits() != 1 {
		t.Errorf("waits for %d, want 1", s.waits())
	}
	select {
	case <-s.begun:
		t.Error("one of two is waited for, not both")
	default:
	}
	_ = s.read(json.NewDecoder(strings.NewReader(strings.ReplaceAll(events, "0001", "0002") + `
{"type":"finished","step":"kv-0001/cluster/etcd","outcome":"done"}
{"type":"finished","step":"kv-0001/cluster/api","outcome":"timed out"}
{"type":"finished","step":"kv-0002/cluster/api","outcome":"done"}
`)))
	select {
	case <-s.begun:
	default:
		t.Error("both are waited for")
	}
	if s.done != 1 {
		t.Errorf("%d are done, want 1", s.done)
	}
}

func TestWithoutAvailable(t *testing.T) {
	had := []any{
		map[string]any{"type": "Degraded", "status": "False"},
		map[string]any{"type": "Available", "status": "True", "reason": "AsExpected",
			"lastTransitionTime": "2026-01-01T00:00:00Z"},
	}
	got := withoutAvailable(had)
	if status := got[1].(map[string]any)["status"]; status != "False" {
		t.Errorf("Available is %v", status)
	}
	if status := had[1].(map[string]any)["status"]; status != "True" {
		t.Errorf("what is to be written again has become %v", status)
	}
	if got[0].(map[string]any)["type"] != "Degraded" {
		t.Errorf("the others are %v", got[0])
	}
}
