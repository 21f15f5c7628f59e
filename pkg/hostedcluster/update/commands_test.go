package update_test

import (
	"testing"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster/update"
)

func TestCommands(t *testing.T) {
	for name, tc := range map[string]struct {
		got  []hint.Text
		want string
	}{
		"two settings are one command": {update.ClusterCommands("clusters", "kv-00", []update.Wanted{
			{Field: "spec.kubeAPIServerDNSName", Value: "kube.example.com"}, {Field: "spec.nodeSelector.role", Value: "x"}}),
			"hcctl update cluster kv-00 --kas-dns-name kube.example.com --node-selector role=x"},
		"another namespace": {update.ClusterCommands("team", "kv-00", []update.Wanted{{Field: "metadata.labels.env",
			Value: "lab"}}), "hcctl update cluster kv-00 --namespace team --labels env=lab"},
		"a list": {update.ClusterCommands("clusters", "kv-00", []update.Wanted{{Field: "spec.tolerations",
			Value: `[{"key":"a"}]`}}), "hcctl update cluster kv-00 --toleration VALUE"},
		"a release": {update.ClusterCommands("clusters", "kv-00", []update.Wanted{{Field: "spec.release.image",
			Value: "registry.example/x:4.20.4"}}), "hcctl upgrade cluster kv-00 --release-image registry.example/x:4.20.4"},
		"a pause": {update.ClusterCommands("clusters", "kv-00", []update.Wanted{{Field: "spec.pausedUntil", Value: "true"}}),
			"hcctl pause kv-00 --until true"},
		"a key in a Secret": {update.ClusterCommands("clusters", "kv-00", []update.Wanted{{Field: "spec.sshKey.name",
			Value: "kv-00-ssh-key"}}), "oc set data secret/kv-00-ssh-key --from-file=id_rsa.pub=FILE, for a cluster that was " +
			"created with a key"},
		"a value for a shell": {update.ClusterCommands("clusters", "kv-00", []update.Wanted{{Field: "spec.labels.a",
			Value: "$(x) y"}}), `hcctl update cluster kv-00 --pods-labels 'a=$(x) y'`},
		"a field of no flag": {update.ClusterCommands("clusters", "kv-00", []update.Wanted{{Field: "spec.none", Value: "x"}}), ""},
		"a pool": {update.PoolCommands("clusters", "gpu", []update.Wanted{{Field: "spec.replicas", Value: "3"},
			{Field: "spec.platform.kubevirt.compute.memory", Value: "16Gi"},
			{Field: "spec.platform.kubevirt.compute.cores", Value: "4"}}),
			"hcctl scale gpu --replicas 3; hcctl update nodepool gpu --memory 16Gi --cores 4"},
	} {
		if got := hint.Join(tc.got, "; ").String(); got != tc.want {
			t.Errorf("%s: %s, want %s", name, got, tc.want)
		}
	}
}
