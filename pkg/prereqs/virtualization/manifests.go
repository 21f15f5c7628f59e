package virtualization

import (
	"context"
	"errors"
	"fmt"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/manifests"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// readHyperConverged reads the manifests of the HyperConverged operator. It fails if the CRD is not among them.
func readHyperConverged(dir string) (manifests.List, error) {
	all, err := manifests.ReadDirectory(dir)
	crd := kube.HyperConverged.Plural + "." + kube.HyperConverged.Group
	if err == nil && !all.Defines(crd) {
		err = fmt.Errorf("%s has no CRD %s: it has to be the deploy directory of the HyperConverged operator", dir, crd)
	}
	return all, err
}

// checkManifests judges an operator from manifests, on a cluster without Operator Lifecycle Manager.
func (s virtualizationOperator) checkManifests(ctx context.Context, r kube.Reader) step.Finding {
	dir := s.o.Manifests
	all, err := readHyperConverged(dir)
	if err != nil {
		return step.Broken("%v", err).On("Manifests %s", dir).
			WithHint("correct the directory given with %s; nothing of it has been applied by this run",
				hint.Flag("virtualization-manifests"))
	}
	if f := all.Operator().Check(ctx, r); f != nil {
		if f.State == step.StateMissing && f.Hint.IsZero() {
			*f = f.WithHint("%s applies it", hint.Run("bootstrap").Flag("virtualization-manifests", dir))
		}
		return *f
	}
	return step.OK("%d objects of the manifests exist and are ready", len(all.Operator())).On("Manifests %s", dir)
}

func (s virtualizationOperator) applyManifests(ctx context.Context, c *kube.Client) (step.Change, error) {
	all, err := readHyperConverged(s.o.Manifests)
	if err != nil {
		return "", err
	}
	return all.Operator().Apply(ctx, c)
}

// checkManifests compares a healthy HyperConverged with the custom resources of the directory. f is its state. One that
// a Subscription installed stays as it is.
func (s hyperConverged) checkManifests(ctx context.Context, r kube.Reader, f step.Finding) step.Finding {
	sub, err := olm.FindSubscription(ctx, r, olm.Virtualization())
	switch {
	case err != nil && !kube.IsKindMissing(err):
		return kube.Unknown(err).On("Subscriptions")
	case sub != nil:
		return f
	}
	all, err := readHyperConverged(s.o.Manifests)
	if err != nil {
		return step.Broken("%v", err).On("Manifests %s", s.o.Manifests)
	}
	if lacking := all.Custom().Check(ctx, r); lacking != nil {
		return *lacking
	}
	return f
}

// applyManifests applies the custom resources of the directory. Without a HyperConverged among them it creates one with
// default settings.
func (s hyperConverged) applyManifests(ctx context.Context, c *kube.Client) (step.Change, error) {
	all, err := readHyperConverged(s.o.Manifests)
	if err != nil {
		return "", err
	}
	change, err := all.Custom().Apply(ctx, c)
	if err != nil {
		return change, err
	}
	kind, err := kube.Stored(ctx, c, kube.HyperConverged)
	if err != nil {
		return change, err
	}
	one, err := existing(ctx, c, kind)
	if err != nil {
		return change, err
	}
	if one != nil {
		set, err := s.o.Spec.Apply(ctx, c, one)
		return step.Join(change, set), err
	}
	operator := all.Find("apps", "Deployment")
	if operator == nil {
		return change, errors.New("the manifests have neither a HyperConverged nor the Deployment of its operator")
	}
	made, err := s.o.Spec.Create(ctx, c, prereq.NewObject(kind, operator.GetNamespace(), hyperConvergedName,
		map[string]any{}))
	return step.Join(change, made), err
}

// manifestRights returns the rights to write an operator's manifests, and to wait for it.
func manifestRights() []access.Rule {
	wanted := []access.Feature{access.Manifests}
	return []access.Rule{
		{
			Verbs: "get list watch create patch", Features: wanted,
			Why: fmt.Sprintf("%s: what the operator's own deployment consists of, and waiting for it",
				hint.Flag("virtualization-manifests")),
			Resources: "namespaces serviceaccounts services configmaps deployments.apps " +
				"customresourcedefinitions.apiextensions.k8s.io" +
				" roles.rbac.authorization.k8s.io rolebindings.rbac.authorization.k8s.io clusterroles.rbac.authorization.k8s.io " +
				"clusterrolebindings.rbac.authorization.k8s.io" +
				" validatingwebhookconfigurations.admissionregistration.k8s.io " +
				"mutatingwebhookconfigurations.admissionregistration.k8s.io",
		},
		{
			Verbs: "escalate bind", Resources: "clusterroles.rbac.authorization.k8s.io roles.rbac.authorization.k8s.io",
			Features: wanted,
			Why: "the manifests bring roles that hold more than most users have: whoever may do this may become " +
				"administrator",
		},
	}
}
