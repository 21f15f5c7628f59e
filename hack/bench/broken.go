package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/hack/internal/measuring"
)

const (
	fiveThousand = 5000
	// brokenOf means that one of this number of clusters fails.
	brokenOf = 20
	// failing is hcctl's exit code for clusters that fail.
	failing = 3
)

func (b *bench) brokenThousand(ctx context.Context) error     { return b.broken(ctx, thousand) }
func (b *bench) brokenFiveThousand(ctx context.Context) error { return b.broken(ctx, fiveThousand) }

// broken measures commands that examine the failing clusters of a fleet of which 5 % fail.
func (b *bench) broken(ctx context.Context, clusters int) error {
	w, err := b.testbed(ctx, "--profile", "ready", "--speed", "50", "--guests", "0", "--pools", "1", "--clusters",
		fmt.Sprint(clusters))
	if err != nil {
		return err
	}
	if err := w.breakSome(ctx); err != nil {
		return err
	}
	for id, command := range map[string]string{"status": "status -A", "exporter": "exporter --once --causes"} {
		for range min(b.runs, 5) {
			e, err := measuring.Run(ctx, w.env, b.hcctl, strings.Fields(command)...)
			if err != nil && e.Exit != failing {
				return err
			}
			b.record(fmt.Sprintf("broken.%d.%s.time", clusters, id), measuring.Ms(e.Took))
			b.record(fmt.Sprintf("broken.%d.%s.memory", clusters, id), e.Resident)
		}
	}
	return nil
}

// breakSome makes one of brokenOf clusters report that etcd has no quorum.
func (w *testbed) breakSome(ctx context.Context) error {
	all, err := w.client.Resource(hostedClusters).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := 0; i < len(all.Items); i += brokenOf {
		u := &all.Items[i]
		conditions, _, err := unstructured.NestedSlice(u.Object, "status", "conditions")
		if err != nil {
			return err
		}
		for _, c := range conditions {
			if m, ok := c.(map[string]any); ok && m["type"] == "EtcdAvailable" {
				m["status"], m["reason"], m["message"] = "False", "EtcdWaitingForQuorum", "Waiting for etcd to reach quorum"
			}
		}
		patch, err := json.Marshal(map[string]any{"status": map[string]any{"conditions": conditions}})
		if err != nil {
			return err
		}
		if _, err := w.client.Resource(hostedClusters).Namespace(u.GetNamespace()).Patch(ctx, u.GetName(),
			types.MergePatchType, patch, metav1.PatchOptions{}, "status"); err != nil {
			return err
		}
	}
	return nil
}
