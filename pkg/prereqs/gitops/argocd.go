package gitops

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/gitops/names"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	ArgoCD       step.ID = "gitops/argocd"
	removeArgoCD step.ID = "uninstall/argocd"
)

const (
	// offSwitch is the environment variable that keeps the operator from creating an instance (contracts/gitops.yaml).
	offSwitch = "DISABLE_DEFAULT_ARGOCD_INSTANCE"
	// serviceName is the only object of kind GitopsService. The operator creates the instance for it.
	serviceName = "cluster"
	instance    = "ArgoCD " + names.Namespace + "/" + names.Instance
)

// argoCD waits for the default instance of Argo CD, which the operator creates.
type argoCD struct{}

func (s argoCD) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: ArgoCD, Title: "Argo CD", Needs: []step.ID{Operator},
		Check: s.check, Timeout: 15 * time.Minute,
		Rights: prereq.Rights{
			Check: append(olm.CheckRights(), optional(readArgo())...),
		},
	}
}

// readArgo returns the right to read the instance.
func readArgo() access.Rule {
	return access.Rule{Verbs: "get", Resources: "argocds.argoproj.io", Names: names.Instance,
		Why: "whether Argo CD is available"}
}

func (s argoCD) check(ctx context.Context, r kube.Reader) step.Finding {
	u, err := readArgoCD(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On(instance)
	case u != nil:
		return judgeArgoCD(u)
	}
	sub, err := olm.FindSubscription(ctx, r, olm.GitOps())
	if err != nil && !kube.IsKindMissing(err) {
		return kube.Unknown(err).On("Subscriptions")
	}
	if isOff(sub) {
		return step.Broken("its operator is told to make none: %s is true in spec.config.env", offSwitch).
			On("Subscription %s", kube.Name(sub)).
			WithHint("take the variable out: oc edit subscription.operators.coreos.com %s -n %s", sub.Name, sub.Namespace)
	}
	return step.Pending("the operator of OpenShift GitOps makes it").On(instance)
}

// readArgoCD returns the instance, or nil. v1beta1 exists since OpenShift GitOps 1.10.
func readArgoCD(ctx context.Context, r kube.Reader) (*unstructured.Unstructured, error) {
	key := types.NamespacedName{Namespace: names.Namespace, Name: names.Instance}
	for _, kind := range []kube.Kind{kube.ArgoCD, kube.ArgoCDV1alpha1} {
		u := kind.New()
		err := r.Get(ctx, key, u)
		switch {
		case kube.IsKindMissing(err):
			continue
		case apierrors.IsNotFound(err):
			return nil, nil
		case err != nil:
			return nil, err
		}
		return u, nil
	}
	return nil, nil
}

// isOff reports whether a Subscription disables the default instance.
func isOff(sub *olmv1alpha1.Subscription) bool {
	if sub == nil || sub.Spec.Config == nil {
		return false
	}
	for _, v := range sub.Spec.Config.Env {
		if v.Name == offSwitch && strings.EqualFold(v.Value, "true") {
			return true
		}
	}
	return false
}

// judgeArgoCD judges the phase. It is Available once the application controller, redis, the repository server and the
// server run (argocd-operator, controllers/argocd/status.go).
func judgeArgoCD(u *unstructured.Unstructured) step.Finding {
	if f := prereq.Deleting(u.GetKind(), u); f != nil {
		return *f
	}
	phase := kube.Text(u, "status", "phase")
	wrong := slices.ContainsFunc(kube.Conditions(u), func(c kube.Condition) bool { return c.False() && c.Message != "" })
	switch {
	case phase == "":
		return step.Pending("its operator has not processed it yet").On(instance)
	case phase == "Available" && !wrong:
		return step.OK("Available").On(instance)
	}
	f := step.Pending("%s%s", phase, notRunning(u)).On(instance).WithHint("oc get pods -n %s", names.Namespace)
	for _, c := range kube.Conditions(u) {
		if c.False() && c.Message != "" {
			f = step.Pending("%s: %s", phase, c.Describe()).On(instance).
				WithHint("oc describe argocd %s -n %s", names.Instance, names.Namespace)
			f.Trouble = true
		}
	}
	f.Trouble = f.Trouble || phase == "Failed"
	return f
}

// notRunning returns the components behind the phase that do not run, each with its state.
func notRunning(u *unstructured.Unstructured) string {
	var list []string
	for _, name := range []string{"applicationController", "redis", "repo", "server"} {
		if state := kube.Text(u, "status", name); state != "" && state != "Running" {
			list = append(list, fmt.Sprintf("%s %s", name, state))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return ": " + strings.Join(list, ", ")
}

// instanceRemoval removes the GitopsService, so that Argo CD is deleted while its operator can still clean up.
type instanceRemoval struct{}

func (s instanceRemoval) removal() prereq.Removal {
	return prereq.Removal{ID: removeArgoCD, Title: "Argo CD", Needs: []step.ID{prereq.NoHostedClusters, removeDecisions,
		removeGitOpsCluster, removePlacement}, Check: s.check, Apply: s.apply}
}

// installed reports whether hcctl installed the operator.
func (s instanceRemoval) installed(ctx context.Context, r kube.Reader) (bool, error) {
	sub, err := olm.FindSubscription(ctx, r, olm.GitOps())
	if err != nil && !kube.IsKindMissing(err) {
		return false, err
	}
	return sub != nil && removal.Owned(sub), nil
}

func (s instanceRemoval) check(ctx context.Context, r kube.Reader) step.Finding {
	owned, err := s.installed(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("Subscriptions")
	}
	if !owned {
		return step.OK("there is nothing of it that hcctl installed").On("Argo CD")
	}
	for _, kind := range []kube.Kind{kube.Application, kube.ApplicationSet} {
		list := kind.NewList()
		if err := r.List(ctx, list); err != nil && !kube.IsKindMissing(err) {
			return kube.Unknown(err).On("%ss", kind.Kind)
		}
		if len(list.Items) > 0 {
			return step.OK("left as it is: %s %s, which hcctl did not create, needs it", kind.Kind,
				kube.Name(&list.Items[0])).On("Argo CD")
		}
	}
	service, err := s.service().listed(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("GitopsService %s", serviceName)
	}
	if service != nil && service.GetDeletionTimestamp() == nil {
		return step.Missing("made by the operator that hcctl installed, and still there").On("GitopsService %s", serviceName)
	}
	u, err := s.instance().listed(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On(instance)
	case u != nil:
		return step.Pending("being deleted with its GitopsService").On(instance)
	case service != nil:
		return step.Pending("being deleted").On("GitopsService %s", serviceName)
	}
	return step.OK("there is none; namespace %s, which its operator made, stays", names.Namespace).On("Argo CD")
}

func (s instanceRemoval) service() object { return object{kube.GitopsService, "", serviceName} }

func (s instanceRemoval) instance() object {
	return object{kube.ArgoCD, names.Namespace, names.Instance}
}

func (s instanceRemoval) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	owned, err := s.installed(ctx, c)
	if err != nil || !owned {
		return step.Unchanged, err
	}
	u, err := s.service().listed(ctx, c)
	if err != nil || u == nil {
		return step.Unchanged, err
	}
	return c.DeleteUnchanged(ctx, u)
}
