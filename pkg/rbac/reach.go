package rbac

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/hcctl/hcctl/internal/hint"
)

// UnlimitedError means that a role for hosted clusters would reach the Secrets of every namespace, and the user did not
// ask for that.
type UnlimitedError struct {
	// Purposes are the purposes that reach them.
	Purposes []Purpose
	// Missing are the flags that would limit the role.
	Missing []Limit
}

// Error returns a message with the purposes and the missing flags.
func (e *UnlimitedError) Error() string {
	var names, flags []string
	for _, p := range e.Purposes {
		names = append(names, string(p))
	}
	for _, l := range e.Missing {
		flags = append(flags, l.String())
	}
	return fmt.Sprintf("%s %s without %s reaches the Secrets of every namespace, from which the whole cluster can be "+
		"taken over", hint.Flag("for"), strings.Join(names, ","), strings.Join(flags, " and "))
}

// Hint returns both solutions: the limiting flags, or the flag for an administrator's role.
func (e *UnlimitedError) Hint() hint.Text {
	var flags []string
	for _, l := range e.Missing {
		flags = append(flags, l.String()+map[Limit]string{ByNamespace: " NAMESPACE", ByName: " NAME"}[l])
	}
	return hint.New("give %s of the hosted clusters; or %s, if the role of an administrator is meant",
		strings.Join(flags, " and "), hint.Flag("all-namespaces"))
}

// AboutClusters reports whether the role has rules about hosted clusters, which a namespace limits.
func (o Options) AboutClusters() bool {
	return slices.ContainsFunc(Rules(o), func(r Rule) bool { return r.At == Clusters })
}

// Unlimited returns *UnlimitedError if rules about hosted clusters would reach the Secrets of every namespace, because
// a namespace or names of clusters are missing; else nil.
func (o Options) Unlimited() error {
	e := &UnlimitedError{}
	for _, r := range Rules(o) {
		if !reachesSecrets(r) || r.At == Any || len(o.namespaces(r.At)) > 0 {
			continue
		}
		needed := []Limit{ByNamespace}
		if r.At != Clusters && r.At != Infrastructure {
			needed = append(needed, ByName)
		}
		for _, l := range needed {
			if !o.limited(l) && !slices.Contains(e.Missing, l) {
				e.Missing = append(e.Missing, l)
			}
		}
		for _, p := range o.Purposes {
			if slices.ContainsFunc(r.For, func(f Purpose) bool { return within([]Purpose{p}, f) }) &&
				!slices.Contains(e.Purposes, p) {
				e.Purposes = append(e.Purposes, p)
			}
		}
	}
	if len(e.Missing) == 0 {
		return nil
	}
	// --namespace before --cluster-name
	slices.SortFunc(e.Missing, func(a, b Limit) int { return strings.Compare(string(b), string(a)) })
	return e
}

// reachesSecrets reports whether the resources of the rule include Secrets.
func reachesSecrets(r Rule) bool {
	return slices.ContainsFunc(strings.Fields(r.Resources), func(s string) bool { return s == secrets || s == everything })
}

const (
	secrets    = "secrets"
	everything = "*.*"
)

// Reach returns what the roles allow beyond the text of their rules, one sentence each, for the administrator who
// grants them.
func (r Roles) Reach() []string {
	var out []string
	policy := r.admission()
	all := r.Options
	all.Policy = true
	if len(Rules(all)) > len(Rules(r.Options)) {
		out = append(out, fmt.Sprintf("it has no right to import the cluster into its hub: that takes a policy, which "+
			"names its "+
			"users; give %s, %s or %s", hint.Flag("user"), hint.Flag("group"), hint.Flag("serviceaccount")))
	}
	elsewhere := len(policy) == 0 || !slices.ContainsFunc(r.limits(), func(l limit) bool {
		return l.Resource == secrets && l.within != ""
	})
	for _, part := range r.parts() {
		reads := part.allows("get list watch", "", secrets)
		creates := part.allows("create", "", secrets) && (part.namespace != "" || elsewhere)
		switch {
		case part.namespace == "" && (reads || creates):
			verbs := strings.TrimPrefix(map[bool]string{true: "read"}[reads]+map[bool]string{true: " and create"}[creates],
				" and ")
			out = append(out, fmt.Sprintf("this role amounts to cluster-admin: it may %s Secrets in every namespace,"+
				" and with a token of kube-system anybody may do anything", verbs))
		case part.namespace == "" && part.names(secrets):
			out = append(out, fmt.Sprintf("it reaches Secrets of these names in every namespace, whosever clusters they "+
				"are of; %s limits "+
				"that", hint.Flag("namespace")))
		case creates && len(policy) == 0:
			out = append(out, fmt.Sprintf("whoever may create Secrets in namespace %s gets a token of every ServiceAccount "+
				"there (type "+
				"%s): keep nothing but hosted clusters in it, and no ServiceAccount that may do more; with %s, "+
				"%s or %s a policy is printed that refuses such Secrets, from Kubernetes 1.30 (OpenShift 4.17) "+
				"on", part.namespace, corev1.SecretTypeServiceAccountToken, hint.Flag("user"), hint.Flag("group"),
				hint.Flag("serviceaccount")))
		}
		if reads && part.namespace != "" {
			out = append(out, fmt.Sprintf("it reads every Secret in namespace %s, whatever it is for", part.namespace))
		}
		if part.allows("escalate bind impersonate", "rbac.authorization.k8s.io", "clusterroles") {
			out = append(out,
				"this role amounts to cluster-admin: it may write and bind roles that have more than it has itself")
		}
		if part.allows("create", "operators.coreos.com", "subscriptions") {
			out = append(out, "this role amounts to cluster-admin: an operator that it installs may be given any rights")
		}
		if part.allows("delete", "cluster.open-cluster-management.io", "managedclusters") {
			out = append(out, fmt.Sprintf("it may detach every ManagedCluster of the hub; %s limits that",
				hint.Flag("cluster-name")))
		}
	}
	return out
}

// CreatesSecrets reports whether the roles may create Secrets anywhere.
func (r Roles) CreatesSecrets() bool {
	return slices.ContainsFunc(r.parts(), func(p part) bool { return p.allows("create", "", secrets) })
}

// allows reports whether the part allows one of the verbs on all objects of the resource.
func (p part) allows(verbs, group, resource string) bool {
	has := func(list []string, one string) bool { return slices.Contains(list, "*") || slices.Contains(list, one) }
	return slices.ContainsFunc(p.policy, func(r rbacv1.PolicyRule) bool {
		return len(r.ResourceNames) == 0 && has(r.APIGroups, group) && has(r.Resources, resource) &&
			slices.ContainsFunc(strings.Fields(verbs), func(v string) bool { return has(r.Verbs, v) })
	})
}

// names reports whether the part allows something on objects of the resource by name only.
func (p part) names(resource string) bool {
	return slices.ContainsFunc(p.policy, func(r rbacv1.PolicyRule) bool {
		return len(r.ResourceNames) > 0 && slices.Contains(r.Resources, resource)
	})
}
