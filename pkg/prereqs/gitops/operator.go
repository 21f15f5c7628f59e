package gitops

import (
	"context"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	Operator             step.ID = "gitops/operator"
	removeGitOpsOperator step.ID = "uninstall/gitops-operator"
)

// gitopsOperator installs the operator of OpenShift GitOps, which watches all namespaces.
type gitopsOperator struct {
	pins olm.Pins
}

func (s gitopsOperator) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Operator, Title: "OpenShift GitOps operator", Needs: prereq.Gates(),
		Check: s.check, Apply: s.installer().Apply, Timeout: olm.Timeout,
		TakesOver: olm.TakesOver, Replaces: olm.Replaces(),
		Rights: prereq.Rights{
			Check: olm.CheckRights(),
			Apply: olm.ApplyRights(),
			Remove: append(olm.RemoveRights(olm.GitOps()), optional(access.Rule{Verbs: "get delete",
				Resources: "gitopsservices.pipelines.openshift.io", Names: serviceName, Why: "what OpenShift GitOps makes its " +
					"instance of Argo CD from"})...),
		},
		Remove: []prereq.Removal{instanceRemoval{}.removal(),
			olm.NewRemoval(olm.GitOps(), kube.ArgoCD, kube.Application, kube.ApplicationSet).
				Removal(removeGitOpsOperator, removeArgoCD)},
	}
}

func (s gitopsOperator) installer() olm.Installer {
	return olm.NewInstaller(olm.GitOps().Pinned(s.pins))
}

func (s gitopsOperator) check(ctx context.Context, r kube.Reader) step.Finding {
	return s.installer().Check(ctx, r)
}
