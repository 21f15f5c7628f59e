package cli

import (
	"strings"
	"testing"

	builtin "github.com/hcctl/hcctl/docs"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
)

// inspected is a management cluster with one control plane that has events and pods.
func inspected() map[string]any {
	event := func(kind, name, eventType, reason, message, at string) object {
		return object{"metadata": object{"name": name + "." + reason, "namespace": "clusters-kv-00"}, "type": eventType,
			"reason": reason, "message": message, "count": 3, "lastTimestamp": at,
			"involvedObject": object{"kind": kind, "name": name}}
	}
	pod := func(name, hash, owner string, labels object, containers ...any) object {
		labels["pod-template-hash"] = hash
		return object{"metadata": object{"name": name, "namespace": "clusters-kv-00", "labels": labels,
			"ownerReferences": []any{object{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": owner, "uid": "x"}}},
			"spec": object{"containers": containers}, "status": object{"phase": "Running"}}
	}
	list := func(items ...any) object { return object{"items": items} }
	one := object{"name": "kube-apiserver"}
	return map[string]any{
		clustersPath + "/kv-00": hosted("clusters", "kv-00", "1", object{}), clustersPath + "/none": 404,
		clustersPath: listOf("HostedCluster"), everyPath: listOf("HostedCluster"),
		poolsPath: listOf("NodePool"),
		"/api/v1/namespaces/clusters/events": list(
			event("HostedCluster", "kv-00", "Normal", "Accepted", "fine", "2026-01-01T00:00:00Z"),
			event("HostedCluster", "other", "Warning", "Elsewhere", "not ours", "2026-01-01T00:00:00Z")),
		"/api/v1/namespaces/clusters-kv-00/events": list(
			event("Pod", "etcd-0", "Warning", "FailedScheduling", "no \x1b[31mroom", "2026-01-01T00:01:00Z")),
		"/api/v1/namespaces/clusters-none/events": list(),
		"/api/v1/namespaces/clusters-none/pods":   list(),
		"/api/v1/namespaces/clusters-kv-00/pods": list(pod("kube-apiserver-5d-x", "5d", "kube-apiserver-5d", object{},
			object{"name": "sidecar"}, one), pod("virt-launcher-kv-00-a-x", "", "kv-00-a",
			object{"vm.kubevirt.io/name": "kv-00-a"}, object{"name": "compute"})),
		"/api/v1/namespaces/hypershift/pods":                                 403,
		"/api/v1/namespaces/clusters-kv-00/pods/kube-apiserver-5d-x/log":     "started   now\nwith \x1b]0;title\x07 and more\n",
		"/api/v1/namespaces/clusters-kv-00/pods/virt-launcher-kv-00-a-x/log": "booted\n",
	}
}

func TestEventsAndLogs(t *testing.T) {
	url := server(t, inspected(), nil)
	for name, c := range map[string]struct {
		args []string
		code int
		want []string
		not  string
	}{
		"events": {[]string{"events", "kv-00"}, 0,
			[]string{"Accepted", "HostedCluster/kv-00", "(x3)", "FailedScheduling", `no \x1b[31mroom`}, "Elsewhere"},
		"warnings":   {[]string{"events", "kv-00", "--warnings"}, 0, []string{"FailedScheduling"}, "Accepted"},
		"of none":    {[]string{"events", "none"}, cmdutil.ExitError, []string{`no hosted cluster "none"`}, ""},
		"components": {[]string{"logs", "kv-00"}, 0, []string{"kube-apiserver", "kv-00-a", "virt-launcher"}, ""},
		"a log": {[]string{"logs", "kv-00", "kube-apiserver"}, 0,
			[]string{"started   now\n", `with \x1b]0;title\a and`}, ""},
		"of a VM": {[]string{"logs", "kv-00", "kv-00-a"}, 0, []string{"booted"}, ""},
		"mistyped": {[]string{"logs", "kv-00", "kube-apisever"}, cmdutil.ExitError,
			[]string{"did you mean kube-apiserver"}, ""},
		"no container": {[]string{"logs", "kv-00", "kube-apiserver", "-c", "x"}, cmdutil.ExitError,
			[]string{"it has sidecar, kube-apiserver"}, ""},
		"both":           {[]string{"logs", "kv-00", "x", "-f", "-p"}, cmdutil.ExitUsage, []string{"give only one of them"}, ""},
		"logs of none":   {[]string{"logs", "none"}, cmdutil.ExitError, []string{`no hosted cluster "none"`}, ""},
		"negative tail":  {[]string{"logs", "kv-00", "x", "--tail", "-1"}, cmdutil.ExitUsage, []string{"--tail -1"}, ""},
		"negative since": {[]string{"events", "kv-00", "--since", "-1s"}, cmdutil.ExitUsage, []string{"--since -1s"}, ""},
	} {
		code, out, errs := runOn(t, url, c.args...)
		for _, want := range c.want {
			if !strings.Contains(out+errs, want) {
				t.Errorf("%s: no %q in\n%s%s", name, want, out, errs)
			}
		}
		if code != c.code || c.not != "" && strings.Contains(out, c.not) || strings.Contains(out, "\x1b") {
			t.Errorf("%s: exit %d\n%s%s", name, code, out, errs)
		}
	}
	_, out, _ := runOn(t, url, "events", "kv-00", "-o", "json")
	conforms(t, "cluster-events", []byte(out))
	_, out, _ = runOn(t, url, "logs", "kv-00", "-o", "json")
	conforms(t, "components", []byte(out))
}

func TestExplain(t *testing.T) {
	for word, want := range map[string]string{
		"hypershift/operator":        "\n    oc logs -n hypershift deployment/operator",
		"hypershift-operator":        "# hypershift/operator",
		"EtcdAvailable":              "- [EtcdWaitingForQuorum](#etcdwaitingforquorum)",
		"invalidimage":               "Waiting does not help",
		"ErrorUnschedulable":         "no node takes the VM",
		"pool-kv-00/machines":        "as many VMs run as the node pool wants",
		"DVPending,NodeProvisioning": "it has not joined",
	} {
		if code, out, errs := run(t, "explain", word); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%s: exit %d\n%s%s", word, code, out, errs)
		}
	}
	if code, _, errs := run(t, "explain", "EtcdAvailible"); code != cmdutil.ExitUsage ||
		!strings.Contains(errs, "did you mean EtcdAvailable") {
		t.Errorf("exit %d\n%s", code, errs)
	}
	if code, _, _ := run(t, "explain", "../README"); code != cmdutil.ExitUsage {
		t.Errorf("a path: exit %d", code)
	}
	_, explained, _ := run(t, "explain", "invalidimage")
	if code, out, errs := run(t, "docs", "runbook/InvalidImage"); code != 0 || out != explained {
		t.Errorf("docs runbook/InvalidImage: exit %d\n%s%s", code, out, errs)
	}
	_, out, _ := run(t, "explain", "InvalidImage", "-o", "json")
	conforms(t, "explanation", []byte(out))
	pages, err := builtin.Checks.ReadDir("checks")
	if err != nil || len(pages) == 0 {
		t.Fatalf("no pages: %v", err)
	}
	for _, p := range pages {
		if code, _, errs := run(t, "explain", strings.TrimSuffix(p.Name(), ".md")); code != 0 {
			t.Errorf("%s: exit %d\n%s", p.Name(), code, errs)
		}
	}
}
