package probe

import "github.com/hcctl/hcctl/pkg/kube/access"

// Rights returns the rights of all probes, beyond those of the checks before them.
func Rights() []access.Rule {
	rules := []access.Rule{
		{Verbs: "get list watch create patch delete", Resources: "namespaces",
			Why: "the namespace of each probe, made, kept alive, and deleted at the end or by the next run"},
		{Verbs: "get", Resources: "daemonsets.apps", Names: resolverDaemonSet, At: access.In(dnsNamespace),
			Why: "the release's client image, which the pods run"},
		{Verbs: "create list watch", Resources: "pods", Why: "what writes, asks, resolves and pulls"},
	}
	for _, p := range Probes() {
		rules = append(rules, p.Rights...)
	}
	for i := range rules {
		if rules[i].Writes() {
			rules[i].Within = NamespacePrefix
		}
	}
	return rules
}
