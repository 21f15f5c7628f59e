package cli

import (
	"strings"
	"testing"
)

// Versions are offered the newest first, and only where hcctl would go there.
func TestVersionsOfACompletion(t *testing.T) {
	const repo = "quay.io/openshift-release-dev/ocp-release:"
	set := func(version, visible string) values {
		return values{"metadata": values{"name": "img" + version + "-multi-appsub", "labels": values{"visible": visible}},
			"spec": values{"releaseImage": repo + version + "-multi"}}
	}
	hc := values{"metadata": values{"namespace": "clusters", "name": "kv-00"},
		"spec": values{"release": values{"image": repo + "4.19.9-multi"}},
		"status": values{"version": values{
			"history": []any{values{"state": "Completed", "version": "4.19.9", "image": repo + "4.19.9-multi"}},
			"conditionalUpdates": []any{values{"release": values{"version": "4.19.12", "image": repo + "4.19.12-multi"},
				"risks": []any{values{"name": "Slow"}}}}}}}
	pool := values{"metadata": values{"namespace": "clusters", "name": "kv-00"}, "spec": values{"clusterName": "kv-00",
		"release": values{"image": repo + "4.19.2-multi"}}, "status": values{"version": "4.19.2"}}
	pools := "/apis/hypershift.openshift.io/v1beta1/namespaces/clusters/nodepools"
	home(t, answering(t, map[string]any{
		"/version":            values{"gitVersion": "v1.33.5"},
		hostedPath + "/kv-00": hc,
		pools:                 values{"items": []any{pool}},
		pools + "/kv-00":      pool,
		"/apis/hive.openshift.io/v1/clusterimagesets": values{"items": []any{set("4.20.9", "true"), set("4.20.10", "true"),
			set("4.20.11", "false"), set("4.19.3", "true"), set("4.19.10", "true"), set("4.18.2", "true"),
			set("4.21.1", "true")}},
		"/api/v1/namespaces/hypershift/configmaps/supported-versions": values{
			"metadata": values{"namespace": "hypershift", "name": "supported-versions"},
			"data":     values{"supported-versions": `{"versions":["4.20","4.19"]}`}},
		"/apis/config.openshift.io/v1/clusterversions/version": values{"metadata": values{"name": "version"},
			"status": values{"desired": values{"version": "4.20.4", "image": repo + "4.20.4"},
				"availableUpdates": []any{values{"version": "4.20.9"}, values{"version": "4.20.10"}}}},
	}).URL)
	for line, want := range map[string]string{
		"create cluster --version ":                                "4.20.10 4.20.9 4.20.4 4.19.10 4.19.3 :36",
		"create cluster --version 4.20.":                           "4.20.10 4.20.9 4.20.4 :36",
		"upgrade cluster kv-00 --version ":                         "4.20.10 4.20.9 4.19.10 :36",
		"upgrade cluster kv-00 --allow-not-recommended --version ": "4.20.10 4.20.9 4.19.12 4.19.10 :36",
		"upgrade nodepool kv-00 --version ":                        "4.19.9 4.19.3 :36",
		"upgrade management --to ":                                 "4.20.10 4.20.9 :36",
	} {
		begin := strings.ReplaceAll(want, " ", "\n")
		if got := offeredIn(t, begin, strings.Split(line, " ")...); !strings.HasPrefix(got, begin) {
			t.Errorf("%s: %q, want %s", line, got, want)
		}
	}
}
