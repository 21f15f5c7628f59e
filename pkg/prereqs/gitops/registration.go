package gitops

import (
	"cmp"
	"context"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops/names"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	GitOpsCluster       step.ID = "gitops/gitops-cluster"
	removeGitOpsCluster step.ID = "uninstall/gitops-cluster"
)

// noDecision is the beginning of the message of a GitOpsCluster whose Placement has selected no cluster
// (multicloud-integrations, GetManagedClusters, ACM 2.7 to 2.14). Later versions do not report it as an error.
const noDecision = "no placement decision found for placement"

// gitopsCluster registers the clusters of the Placement with Argo CD. Only Advanced Cluster Management has the kind,
// multicluster engine alone does not.
type gitopsCluster struct{}

func (s gitopsCluster) object() object {
	return object{kube.GitOpsCluster, names.Namespace, names.Placement}
}

func (s gitopsCluster) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: GitOpsCluster, Title: "clusters known to Argo CD", Needs: []step.ID{ArgoCD, Placement},
		Check: s.check, Apply: s.apply, Timeout: 10 * time.Minute,
		Rights: prereq.Rights{
			Check: append(optional(s.rule("get")),
				prereq.ListMulticluster("multiclusterhubs.operator.open-cluster-management.io")),
			Apply:  optional(s.rule("create patch")),
			Remove: optional(s.rule("get delete")),
		},
		Remove: []prereq.Removal{s.object().removal(removeGitOpsCluster, "clusters known to Argo CD", nil)},
	}
}

func (s gitopsCluster) rule(verbs string) access.Rule {
	return access.Rule{Verbs: verbs, Resources: "gitopsclusters.apps.open-cluster-management.io",
		Names: names.Placement, Why: "makes clusters known to Argo CD"}
}

func (s gitopsCluster) check(ctx context.Context, r kube.Reader) step.Finding {
	u, err := s.object().read(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("%s", s.object().describe())
	}
	if u != nil {
		if f := prereq.Deleting(kube.GitOpsCluster.Kind, u); f != nil {
			return *f
		}
		return judgeGitOpsCluster(u).On("%s", s.object().describe())
	}
	hub, err := prereq.Hub(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("MultiClusterHubs")
	case hub == nil:
		return *prereq.NothingYet("Advanced Cluster Management is not installed, and multicluster engine alone has no "+
			"GitOpsCluster: hcctl gitops register NAME makes a hosted cluster known to Argo CD, and hcctl "+
			"gitops init needs %s labels", hint.Flag("clusters-from"))
	}
	return step.Missing("does not exist").On("%s", s.object().describe())
}

// judgeGitOpsCluster judges the phase that its controller reports, and the conditions of ACM 2.15 and later. The
// controller retries after every failure.
func judgeGitOpsCluster(u *unstructured.Unstructured) step.Finding {
	if ns := kube.Text(u, "spec", "argoServer", "argoNamespace"); ns != names.Namespace {
		return step.Broken("it is for Argo CD in namespace %q, not in %s", ns, names.Namespace).WithHint(
			"if nobody needs it: oc delete gitopscluster %s -n %s, then %s", u.GetName(), u.GetNamespace(),
			hint.Run("bootstrap"))
	}
	phase, message := kube.Text(u, "status", "phase"), kube.Text(u, "status", "message")
	ready := kube.FindCondition(kube.Conditions(u), "Ready")
	switch {
	case ready.True(), ready.Status == "" && phase == "successful":
		return step.OK("%s", cmp.Or(message, "its clusters are known to Argo CD"))
	case phase == "failed" && strings.HasPrefix(message, noDecision):
		return step.OK("the set waits for the first hosted cluster")
	}
	f := step.Pending("%s", cmp.Or(message, "its controller has not processed it yet"))
	for _, c := range kube.Conditions(u) {
		if c.False() && c.Type != "Ready" {
			f = step.Pending("%s", c.Describe())
			f.Trouble = true
			break
		}
	}
	f.Trouble = f.Trouble || phase == "failed"
	return f.WithHint("oc get gitopscluster %s -n %s -o yaml", u.GetName(), u.GetNamespace())
}

func (s gitopsCluster) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	return c.Apply(ctx, prereq.NewObject(kube.GitOpsCluster, names.Namespace, names.Placement, map[string]any{
		"argoServer": map[string]any{"cluster": prereq.DefaultLocalCluster, "argoNamespace": names.Namespace},
		"placementRef": map[string]any{"kind": kube.Placement.Kind, "apiVersion": kube.Placement.GroupVersion().String(),
			"namespace": names.Namespace, "name": names.Placement}}))
}
