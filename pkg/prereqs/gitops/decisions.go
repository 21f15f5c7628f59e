package gitops

import (
	"context"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops/names"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	Decisions       step.ID = "gitops/decisions"
	removeDecisions step.ID = "uninstall/gitops-decisions"
)

// decisions lets ApplicationSets read decisions of Placements (generator clusterDecisionResource): a ConfigMap, and the
// right to list them. The controller of GitOpsClusters creates both if they do not exist, and does not change them
// later (multicloud-integrations, rbac_management.go). Without that controller, hcctl creates them.
type decisions struct{}

// configMap is handled without its Go type, like the other kinds of this group.
func configMap() kube.Kind {
	return kube.Kind{GroupVersionKind: schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, Plural: "configmaps",
		Namespaced: true}
}

// objects returns the objects that hcctl creates, the ConfigMap first.
func (s decisions) objects() []object {
	return []object{{configMap(), names.Namespace, names.DecisionConfigMap},
		{kube.Role, names.Namespace, names.DecisionRole}, {kube.RoleBinding, names.Namespace, names.DecisionRole}}
}

func (s decisions) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Decisions, Title: "decisions for ApplicationSets", Needs: []step.ID{ArgoCD, Placement},
		After: []step.ID{GitOpsCluster},
		Check: s.check, Apply: s.apply,
		Rights: prereq.Rights{
			Check: optional(s.rules("get")...),
			Apply: optional(append(s.rules("create patch"), access.Rule{Verbs: "list",
				Resources: "placementdecisions.cluster.open-cluster-management.io",
				Why:       "it gives the ApplicationSet controller this right, and nobody can give what he does not have"})...),
			Remove: optional(s.rules("get delete")...),
		},
		Remove: []prereq.Removal{{ID: removeDecisions, Title: "decisions for ApplicationSets",
			Needs: []step.ID{prereq.NoHostedClusters, removeGitOpsCluster}, Check: s.gone, Apply: s.remove}},
	}
}

func (s decisions) rules(verbs string) []access.Rule {
	const why = "how ApplicationSets read the decisions of Placements"
	return []access.Rule{
		{Verbs: verbs, Resources: "configmaps", Names: names.DecisionConfigMap,
			Why: why},
		{Verbs: verbs, Resources: "rolebindings.rbac.authorization.k8s.io roles.rbac.authorization.k8s.io",
			Names: names.DecisionRole, Why: why},
	}
}

func (s decisions) check(ctx context.Context, r kube.Reader) step.Finding {
	for _, o := range s.objects() {
		u, f := o.find(ctx, r)
		if f != nil {
			return *f
		}
		if o.kind.Kind != configMap().Kind {
			continue
		}
		if wrong := wrongDecisions(u); wrong != "" {
			return step.Broken("%s is %q, and ApplicationSets find no cluster by it; %q is right", wrong,
				kube.Text(u, "data", wrong), names.Decisions()[wrong]).On("%s", o.describe()).
				WithHint("remove it, and %s makes it anew: oc delete configmap %s -n %s", hint.Run("bootstrap"), o.name,
					o.namespace)
		}
	}
	return step.OK("ApplicationSets find clusters by the decisions of Placements").On("%s", s.objects()[0].describe())
}

// wrongDecisions returns the first key of the ConfigMap with a wrong value, or "".
func wrongDecisions(u *unstructured.Unstructured) string {
	want := names.Decisions()
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if kube.Text(u, "data", key) != want[key] {
			return key
		}
	}
	return ""
}

func (s decisions) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	change := step.Unchanged
	for _, o := range s.objects() {
		if existing, err := o.read(ctx, c); err != nil || existing != nil {
			if err != nil {
				return change, err
			}
			continue // an existing object stays as it is
		}
		u := o.kind.New()
		u.SetNamespace(o.namespace)
		u.SetName(o.name)
		maps.Copy(u.Object, content(o.kind.Kind))
		made, err := c.Apply(ctx, u)
		if err != nil {
			return change, err
		}
		change = step.Join(change, made)
	}
	return change, nil
}

// content returns an object without its metadata.
func content(kind string) map[string]any {
	const group = "rbac.authorization.k8s.io"
	switch kind {
	case kube.Role.Kind:
		return map[string]any{"rules": []any{map[string]any{"apiGroups": []any{kube.PlacementDecision.Group},
			"resources": []any{kube.PlacementDecision.Plural}, "verbs": []any{"list"}}}}
	case kube.RoleBinding.Kind:
		return map[string]any{
			"roleRef": map[string]any{"apiGroup": group, "kind": kube.Role.Kind, "name": names.DecisionRole},
			"subjects": []any{map[string]any{"kind": kube.ServiceAccount.Kind, "name": names.ApplicationSetAccount,
				"namespace": names.Namespace}}}
	}
	data := map[string]any{}
	for key, value := range names.Decisions() {
		data[key] = value
	}
	return map[string]any{"data": data}
}

// gone succeeds once hcctl owns none of the objects.
func (s decisions) gone(ctx context.Context, r kube.Reader) step.Finding {
	var last step.Finding
	for _, o := range s.objects() {
		f := o.gone(ctx, r, nil)
		if f.State != step.StateOK {
			return f
		}
		last = f
	}
	return last
}

func (s decisions) remove(ctx context.Context, c *kube.Client) (step.Change, error) {
	change := step.Unchanged
	for _, o := range s.objects() {
		removed, err := o.remove(ctx, c)
		if err != nil {
			return change, err
		}
		change = step.Join(change, removed)
	}
	return change, nil
}
