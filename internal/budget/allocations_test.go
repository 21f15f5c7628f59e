package budget_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/hcctl/hcctl/internal/budget"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/status"
)

// fleetSize is how many clusters the server has; a page holds 500.
const fleetSize = 1000

// fleetServer serves so many copies of a HostedCluster that a sandbox has finished, page by page as an API server does,
// as objects or as a table, and says how many lists it was asked for.
func fleetServer(tb testing.TB) (client *kube.Client, lists *int) {
	tb.Helper()
	data, err := os.ReadFile("testdata/hostedcluster.json")
	if err != nil {
		tb.Fatal(err)
	}
	var one map[string]any
	if err := json.Unmarshal(data, &one); err != nil {
		tb.Fatal(err)
	}
	lists = new(int)
	pages := map[string][]byte{}
	answer := func(w http.ResponseWriter, r *http.Request) {
		*lists++
		q := r.URL.Query()
		body := pages[q.Get("includeObject")+q.Get("continue")]
		if body == nil || q.Get("limit") != "500" {
			http.Error(w, "a page of 500 was expected: "+r.URL.String(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	}
	for from := 0; from < fleetSize; from += 500 {
		list := map[string]any{"apiVersion": "hypershift.openshift.io/v1beta1", "kind": "HostedClusterList",
			"metadata": map[string]any{"resourceVersion": "1"}}
		if from+500 < fleetSize {
			list["metadata"] = map[string]any{"resourceVersion": "1", "continue": strconv.Itoa(from + 500)}
		}
		var copies, rows []any
		for i := range 500 {
			one["metadata"].(map[string]any)["name"] = fmt.Sprintf("kv-%04d", from+i)
			raw, err := json.Marshal(one)
			if err != nil {
				tb.Fatal(err)
			}
			copies = append(copies, json.RawMessage(raw))
			rows = append(rows, map[string]any{"object": nil, "cells": []any{fmt.Sprintf("kv-%04d", from+i), "4.20.3",
				"kv-admin-kubeconfig", "Completed", "True", "False", "The hosted control plane is available"}})
		}
		list["items"] = copies
		body, err := json.Marshal(list)
		if err != nil {
			tb.Fatal(err)
		}
		token := ""
		if from > 0 {
			token = strconv.Itoa(from)
		}
		pages[token] = body
		var columns []any
		for _, heading := range status.HostedClusters().Headings(false, false) {
			columns = append(columns, map[string]any{"name": heading, "type": "string", "priority": 0})
		}
		pages["None"+token], err = json.Marshal(map[string]any{"apiVersion": "meta.k8s.io/v1", "kind": "Table",
			"metadata": list["metadata"], "columnDefinitions": columns, "rows": rows})
		if err != nil {
			tb.Fatal(err)
		}
	}
	server := httptest.NewServer(http.HandlerFunc(answer))
	tb.Cleanup(server.Close)
	c, err := kube.New(&rest.Config{Host: server.URL})
	if err != nil {
		tb.Fatal(err)
	}
	return c, lists
}

// TestFleetAllocations is about what get clusters and check read where a thousand clusters are there.
func TestFleetAllocations(t *testing.T) {
	c, lists := fleetServer(t)
	list := func() {
		found, err := status.List(t.Context(), c, status.Query{Resource: status.HostedClusters()})
		if err != nil || len(found) != fleetSize {
			t.Fatalf("%d clusters, %v", len(found), err)
		}
	}
	list()
	if *lists != fleetSize/500 {
		t.Errorf("%d lists for %d clusters", *lists, fleetSize)
	}
	hold(t, budget.Figure{
		Kind: "allocations", Name: "get clusters -o json, 1000 of them", Now: testing.AllocsPerRun(1, list) / 1000,
		Slack: 0.1,
		Look:  "go test ./internal/budget -run '^$' -bench Fleet -benchmem -memprofile mem.out",
	})
	rows := func() {
		q := status.Query{Resource: status.HostedClusters()}
		found, err := status.Tabulate(t.Context(), c, q, status.View{Now: time.Now})
		if err != nil || len(found.Rows) != fleetSize {
			t.Fatalf("%+v, %v", found, err)
		}
	}
	hold(t, budget.Figure{
		Kind: "allocations", Name: "get clusters, 1000 of them", Now: testing.AllocsPerRun(2, rows) / 1000, Slack: 0.1,
		Look: "go test ./internal/budget -run '^$' -bench Fleet -benchmem -memprofile mem.out",
	})
	names := func() {
		if found, err := c.Names(t.Context(), kube.HostedCluster); err != nil || len(found) != fleetSize {
			t.Fatalf("%d names, %v", len(found), err)
		}
	}
	hold(t, budget.Figure{
		Kind: "allocations", Name: "names of 1000 clusters", Now: testing.AllocsPerRun(2, names) / 1000, Slack: 0.1,
		Look: "go test ./internal/budget -run '^$' -bench Fleet -benchmem -memprofile mem.out",
	})
}

func BenchmarkFleet(b *testing.B) {
	c, _ := fleetServer(b)
	b.ReportAllocs()
	for b.Loop() {
		q := status.Query{Resource: status.HostedClusters()}
		if _, err := status.Tabulate(b.Context(), c, q, status.View{Now: time.Now}); err != nil {
			b.Fatal(err)
		}
	}
}
