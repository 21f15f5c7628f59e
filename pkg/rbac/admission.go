package rbac

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// limitVerb is a verb that no API uses. A role has it for each name of Rule.Only, and the policy asks the authorizer
// for it. So the limits of several roles of one user add up.
const limitVerb = "limit-to"

// limit is the limit of the policy for one resource.
type limit struct {
	schema.GroupResource
	// namespaces in which the names are limited; "" for cluster-scoped objects.
	namespaces []string
	// prefixes are allowed name prefixes, besides the names of limitVerb.
	prefixes []string
	// within is the name prefix of the namespaces in which the resource may be written.
	within string
}

// limits returns the limits of the roles' rules. A write that one rule allows without a limit is not limited by another
// rule.
func (r Roles) limits() []limit {
	type place struct{ resource, namespace string }
	limited, free := map[place]limit{}, map[place]bool{}
	for _, part := range r.sorted() {
		for _, rule := range part.rules {
			for _, resource := range strings.Fields(rule.Resources) {
				at := place{resource, part.namespace}
				switch {
				case !unlimitedByName(rule, resource):
				case rule.Only == "" && rule.Within == "":
					free[at] = true
				default:
					limited[at] = limit{GroupResource: groupResource(resource), prefixes: slices.Concat(limited[at].prefixes,
						prefixes(rule.Only)), within: cmp.Or(rule.Within, limited[at].within)}
				}
			}
		}
	}
	byResource := map[string]limit{}
	for _, at := range slices.SortedFunc(maps.Keys(limited), func(a, b place) int {
		return cmp.Or(cmp.Compare(a.resource, b.resource), cmp.Compare(a.namespace, b.namespace))
	}) {
		if free[at] {
			continue
		}
		l := limited[at]
		before := byResource[at.resource]
		l.namespaces = slices.Concat(before.namespaces, []string{at.namespace})
		l.prefixes = slices.Concat(before.prefixes, l.prefixes)
		byResource[at.resource] = l
	}
	var out []limit
	for _, resource := range slices.Sorted(maps.Keys(byResource)) {
		out = append(out, byResource[resource])
	}
	return out
}

// unlimitedByName reports whether a rule allows a write of the resource that RBAC cannot limit by name, or that the
// rule limits by namespace.
func unlimitedByName(rule Rule, resource string) bool {
	verbs := strings.Fields(rule.Verbs)
	return rule.Names == "" && (rule.Within != "" || slices.Contains(verbs, "create") ||
		resource == nodePools && rule.Writes())
}

const nodePools = "nodepools.hypershift.openshift.io"

func prefixes(names string) []string {
	var out []string
	for _, name := range strings.Fields(names) {
		if prefix, is := strings.CutSuffix(name, "*"); is {
			out = append(out, prefix)
		}
	}
	return out
}

// admission returns the policy with its binding, if Policy is set and there is something to limit. It needs Kubernetes
// 1.30 (OpenShift 4.17) or later.
func (r Roles) admission() []any {
	if !r.Policy || len(r.Subjects) == 0 {
		return nil
	}
	resources, validations := r.validations()
	if len(validations) == 0 {
		return nil
	}
	meta := metav1.ObjectMeta{Name: r.policyName()}
	version := admissionv1.SchemeGroupVersion.String()
	fail := admissionv1.Fail
	policy := &admissionv1.ValidatingAdmissionPolicy{
		TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "ValidatingAdmissionPolicy"}, ObjectMeta: meta,
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			FailurePolicy:    &fail,
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: resources},
			MatchConditions:  []admissionv1.MatchCondition{{Name: "subject", Expression: r.isSubject()}},
			Validations:      validations,
		},
	}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{
		TypeMeta: metav1.TypeMeta{APIVersion: version, Kind: "ValidatingAdmissionPolicyBinding"}, ObjectMeta: meta,
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: meta.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		},
	}
	return []any{policy, binding}
}

// validations returns the validations of the subjects' requests, and the resources to which they apply.
func (r Roles) validations() ([]admissionv1.NamedRuleWithOperations, []admissionv1.Validation) {
	var resources []admissionv1.NamedRuleWithOperations
	var all []admissionv1.Validation
	about := func(gr schema.GroupResource) {
		rule := admissionv1.NamedRuleWithOperations{RuleWithOperations: admissionv1.RuleWithOperations{
			Operations: []admissionv1.OperationType{admissionv1.Create, admissionv1.Update, admissionv1.Delete,
				admissionv1.Connect},
			Rule: admissionv1.Rule{APIGroups: []string{gr.Group}, APIVersions: []string{"*"}, Resources: []string{gr.Resource}},
		}}
		if !slices.ContainsFunc(resources, func(have admissionv1.NamedRuleWithOperations) bool {
			return have.APIGroups[0] == gr.Group && have.Resources[0] == gr.Resource
		}) {
			resources = append(resources, rule)
		}
	}
	add := func(gr schema.GroupResource, unless, message string) {
		about(gr)
		forbidden := metav1.StatusReasonForbidden
		all = append(all, admissionv1.Validation{Reason: &forbidden, Message: "a role of hcctl rbac: " + message,
			Expression: "!(" + isResource(gr) + ") || (" + unless + ")"})
	}
	for _, at := range r.tokenNamespaces() {
		unless := "request.operation != 'CREATE' && request.operation != 'UPDATE' || !has(object.type) || object.type != " +
			quoted(string(corev1.SecretTypeServiceAccountToken))
		if at != "" {
			unless = "request.namespace != " + quoted(at) + " || " + unless
		}
		add(schema.GroupResource{Resource: secrets}, unless, "no Secrets that hold the token of a ServiceAccount")
	}
	for _, l := range r.limits() {
		add(l.GroupResource, l.expression(), fmt.Sprintf("not this one of %s; it limits their names", l.GroupResource))
	}
	for _, c := range contentLimits() {
		if slices.ContainsFunc(Rules(r.Options), func(rule Rule) bool {
			return slices.Contains(strings.Fields(rule.Resources), c.resource) && (rule.Guarded && !c.deletes ||
				c.deletes && rule.Names == "" && slices.Contains(strings.Fields(rule.Verbs), "delete"))
		}) {
			add(groupResource(c.resource), c.unless, c.message)
		}
	}
	return resources, all
}

// tokenNamespaces returns the namespaces in which the roles may create Secrets under any name, "" for all. RBAC does
// not distinguish types of Secrets.
func (r Roles) tokenNamespaces() []string {
	var out []string
	for _, part := range r.parts() {
		if slices.ContainsFunc(part.policy, func(rule rbacv1.PolicyRule) bool {
			return slices.Contains(rule.Resources, secrets) && slices.Contains(rule.Verbs, "create")
		}) {
			out = append(out, part.namespace)
		}
	}
	return out
}

func isResource(gr schema.GroupResource) string {
	resource, sub, _ := strings.Cut(gr.Resource, "/")
	return fmt.Sprintf("request.resource.group == %s && request.resource.resource == %s && %s == %s", quoted(gr.Group),
		quoted(resource), orEmpty("request.subResource"), quoted(sub))
}

// orEmpty returns the CEL expression for a field of the request that may be absent.
func orEmpty(field string) string { return "(has(" + field + ") ? " + field + " : '')" }

// expression returns the CEL expression that is true for requests within the limit.
func (l limit) expression() string {
	if l.within != "" {
		name := "request.namespace"
		if l.Resource == "namespaces" {
			name = "(request.operation == 'CREATE' ? object.metadata.name : request.name)"
		}
		return name + ".startsWith(" + quoted(l.within) + ")"
	}
	allowed := func(name string) string {
		resource, sub, has := strings.Cut(l.Resource, "/")
		check := fmt.Sprintf("authorizer.group(%s).resource(%s)", quoted(l.Group), quoted(resource))
		if has {
			check += ".subresource(" + quoted(sub) + ")"
		}
		terms := []string{check + ".namespace(" + orEmpty("request.namespace") + ").name(" + name + ").check(" +
			quoted(limitVerb) + ").allowed()"}
		for _, prefix := range l.prefixes {
			terms = append(terms, name+".startsWith("+quoted(prefix)+")")
		}
		return "(" + strings.Join(terms, " || ") + ")"
	}
	var out string
	switch {
	case l.String() == nodePools:
		out = "(request.operation == 'DELETE' || " + allowed("object.spec.clusterName") + ") && (request.operation == " +
			"'CREATE' || " + allowed("oldObject.spec.clusterName") + ")"
	case strings.Contains(l.Resource, "/"):
		out = allowed("request.name")
	default:
		out = "request.operation != 'CREATE' || " + allowed("object.metadata.name")
	}
	if slices.Contains(l.namespaces, "") {
		return out
	}
	var at []string
	for _, namespace := range l.namespaces {
		at = append(at, quoted(namespace))
	}
	return "!(request.namespace in [" + strings.Join(at, ", ") + "]) || " + out
}

// contentLimit limits the content that a guarded rule may write, or the objects that a rule without names may delete.
type contentLimit struct {
	resource, unless, message string
	deletes                   bool
}

// contentLimits returns the limits for objects that Open Cluster Management trusts: annotations select images of
// agents, labels select the set, and an annotation makes addons run on the hosting cluster.
func contentLimits() []contentLimit {
	const managed = "managedclusters.cluster.open-cluster-management.io"
	const addons = "managedclusteraddons.addon.open-cluster-management.io"
	const set = "cluster.open-cluster-management.io/clusterset"
	written := "request.operation == 'DELETE' || "
	labels := func(of string) string { return "(has(" + of + ".labels) ? " + of + ".labels : {})" }
	annotations := func(of string) string { return "(has(" + of + ".annotations) ? " + of + ".annotations : {})" }
	label := func(of, key string) string {
		return "(" + quoted(key) + " in " + labels(of) + " ? " + of + ".labels[" + quoted(key) + "] : '')"
	}
	before := func(key string) string {
		return "(request.operation == 'CREATE' ? '' : " + label("oldObject.metadata", key) + ")"
	}
	const mode = "import.open-cluster-management.io/klusterlet-deploy-mode"
	return []contentLimit{
		{resource: managed, unless: "request.operation != 'UPDATE' || object.spec == oldObject.spec && " +
			annotations("object.metadata") + " == " + annotations("oldObject.metadata"),
			message: "of a ManagedCluster only labels change"},
		{resource: managed, unless: "request.operation != 'CREATE' || " + annotations("object.metadata") + ".all(k, k in ['" +
			mode + "', 'import.open-cluster-management.io/hosting-cluster-name', 'open-cluster-management/created-via'])",
			message: "a ManagedCluster has the annotations of a hosted cluster alone"},
		{resource: managed, unless: written + label("object.metadata", "local-cluster") + " == " + before("local-cluster"),
			message: "no ManagedCluster becomes the hub itself"},
		{resource: managed, unless: written + label("object.metadata", set) + " == " + before(set) + " || authorizer.group(" +
			"'cluster.open-cluster-management.io').resource('managedclustersets').subresource('join').name(" +
			label("object.metadata", set) + ").check('create').allowed()",
			message: "a ManagedCluster joins the sets that the role names"},
		{resource: managed, deletes: true, unless: "request.operation != 'DELETE' || '" + mode + "' in " +
			annotations("oldObject.metadata"), message: "only ManagedClusters of hosted clusters are detached"},
		{resource: addons, unless: "request.operation != 'CREATE' || " + annotations("object.metadata") +
			" == {} && !has(object.spec.configs)", message: "an addon has no annotations and no configuration"},
	}
}

// quoted returns a text as a CEL string.
func quoted(text string) string { return strconv.Quote(text) }

// isSubject returns the CEL expression that is true for requests of the subjects.
func (r Roles) isSubject() string {
	var terms []string
	for _, s := range r.Subjects {
		switch s.Kind {
		case rbacv1.GroupKind:
			terms = append(terms, quoted(s.Name)+" in request.userInfo.groups")
		case rbacv1.ServiceAccountKind:
			terms = append(terms, "request.userInfo.username == "+quoted("system:serviceaccount:"+s.Namespace+":"+s.Name))
		default:
			terms = append(terms, "request.userInfo.username == "+quoted(s.Name))
		}
	}
	return strings.Join(terms, " || ")
}
