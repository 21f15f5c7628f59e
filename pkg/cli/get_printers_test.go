package cli

import (
	"strings"
	"testing"
)

// TestKubectlPrinters holds the formats and flags of kubectl get, over the API server's table and over objects.
func TestKubectlPrinters(t *testing.T) {
	one, two, three := hosted("clusters", "kv-9", "1", available("True", "up")), hosted("clusters", "kv-10", "2", nil),
		hosted("clusters", "kv-1", "3", available("False", "down"))
	one["metadata"].(object)["labels"] = object{"tier": "prod", "env": "lab"}
	row := func(o object, version string) object {
		return object{"cells": []any{o["metadata"].(object)["name"], version}, "object": o}
	}
	table := object{"kind": "Table", "apiVersion": "meta.k8s.io/v1", "metadata": object{"resourceVersion": "1"},
		"columnDefinitions": []any{object{"name": "Name", "priority": 0}, object{"name": "Version", "priority": 0}},
		"rows":              []any{row(one, "4.20.3"), row(two, ""), row(three, "4.9.1")}}
	answers := map[string]any{clustersPath: listOf("HostedCluster", one, two, three), clustersPath + "/kv-9": one,
		clustersPath + "/kv-10": two}
	objects := server(t, answers, nil)
	tables := map[string]any{"table " + clustersPath: table}
	for path, answer := range answers {
		tables[path] = answer
	}
	for _, tc := range []struct{ args, want string }{
		{"-o jsonpath={.items[*].metadata.name}", "kv-9 kv-10 kv-1"},
		{"-o jsonpath={.items[*].metadata.name} --sort-by .metadata.name", "kv-1 kv-9 kv-10"},
		{"kv-9 -o jsonpath={.metadata.name}", "kv-9"},
		{"kv-9 kv-10 -o custom-columns=N:.metadata.name,ENV:.metadata.labels.env",
			"N       ENV\nkv-9    lab\nkv-10   <none>\n"},
		{"kv-9 -o custom-columns=N:.metadata.name --no-headers", "kv-9\n"},
		{"-o name --sort-by {.metadata.name}", "hostedcluster.hypershift.openshift.io/kv-1\n" +
			"hostedcluster.hypershift.openshift.io/kv-9\nhostedcluster.hypershift.openshift.io/kv-10\n"},
		{"-o jsonpath-as-json={.items[0].metadata.labels}",
			"[\n    {\n        \"env\": \"lab\",\n        \"tier\": \"prod\"\n    }\n]\n"},
	} {
		if code, out, errs := runOn(t, objects, strings.Fields("get clusters "+tc.args)...); code != 0 || out != tc.want {
			t.Errorf("%s: exit %d, %q, %s; want %q", tc.args, code, out, errs, tc.want)
		}
	}
	for name, url := range map[string]string{"tables": server(t, tables, nil), "objects": objects} {
		for _, tc := range []struct {
			args  string
			names []string
			lines int
			last  string
		}{
			{"--sort-by .metadata.name", []string{"NAME", "kv-1", "kv-9", "kv-10"}, 4, ""},
			{"--sort-by .status.version.history[0].version --no-headers", []string{"kv-10", "kv-9"}, 3, ""},
			{"--show-labels", []string{"NAME", "kv-9", "kv-10"}, 4, "<none>"},
			{"--show-labels -o wide --sort-by .metadata.labels.tier", []string{"NAME", "kv-10", "kv-1", "kv-9"}, 4,
				"env=lab,tier=prod"},
			{"kv-9 kv-10 --sort-by .metadata.name --show-labels", []string{"NAME", "kv-9", "kv-10"}, 3, "<none>"},
		} {
			code, out, errs := runOn(t, url, strings.Fields("get clusters "+tc.args)...)
			lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
			if code != 0 || len(lines) != tc.lines || !strings.HasSuffix(out, tc.last+"\n") {
				t.Errorf("%s: %s: exit %d, %s%s", name, tc.args, code, out, errs)
				continue
			}
			for i, want := range tc.names {
				if strings.Fields(lines[i])[0] != want {
					t.Errorf("%s: %s: line %d is not about %s:\n%s", name, tc.args, i, want, out)
				}
			}
		}
	}
	if code, _, errs := runOn(t, objects, "get", "clusters", "--sort-by", ".no"); code != 1 ||
		!strings.Contains(errs, "--sort-by: no object has the field .no") {
		t.Errorf("exit %d, %s", code, errs)
	}
	// A value cannot control the terminal.
	two["metadata"].(object)["labels"] = object{"x": "\x1b[2J"}
	_, out, _ := runOn(t, objects, "get", "clusters", "kv-10", "-o", "jsonpath={.metadata.labels.x}")
	if strings.Contains(out, "\x1b") {
		t.Errorf("%q", out)
	}
}
