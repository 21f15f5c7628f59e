package options

import (
	"strings"
	"testing"
)

func TestParseManaged(t *testing.T) {
	const set = "cluster.open-cluster-management.io/clusterset"
	for name, tc := range map[string]struct {
		change  func(*Cluster)
		managed bool
		label   string
		err     string
	}{
		"nothing":       {func(*Cluster) {}, false, "", ""},
		"managed":       {func(o *Cluster) { o.ManagedCluster = true }, true, "", ""},
		"a set":         {func(o *Cluster) { o.ClusterSet = "dev" }, true, "dev", ""},
		"an addon":      {func(o *Cluster) { o.Addons = List{"work-manager"} }, true, "", ""},
		"a label alone": {func(o *Cluster) { o.Labels = map[string]string{set: "dev"} }, false, "dev", ""},
		"both the same": {func(o *Cluster) { o.ClusterSet, o.Labels = "dev", map[string]string{set: "dev"} }, true, "dev", ""},
		"two sets": {func(o *Cluster) { o.ClusterSet, o.Labels = "dev", map[string]string{set: "prod"} }, false, "",
			"the labels name another set, prod"},
		"the global set": {func(o *Cluster) { o.ClusterSet = "global" }, false, "", "none can join it"},
		"no name":        {func(o *Cluster) { o.ClusterSet = "Dev_1" }, false, "", "not the name of a ManagedClusterSet"},
		"no addon's name": {func(o *Cluster) { o.Addons = List{"a b"} }, false, "",
			"not the name of a ManagedClusterAddOn"},
	} {
		o := Defaults()
		o.Name = "kv-00"
		tc.change(&o)
		v, err := o.Validate()
		if tc.err != "" {
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("%s: %v, want %q", name, err, tc.err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if v.ManagedCluster != tc.managed || v.Labels[set] != tc.label {
			t.Errorf("%s: managed %t, labels %v", name, v.ManagedCluster, v.Labels)
		}
	}
}
