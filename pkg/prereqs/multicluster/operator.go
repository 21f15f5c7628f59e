package multicluster

import (
	"context"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// The prerequisite of this file, and its removal.
const (
	Operator             step.ID = "multicluster/operator"
	removeEngineOperator step.ID = "uninstall/engine-operator"
)

// operatorName is the Deployment of the engine's operator (2.2 to 5.1).
const operatorName = "multicluster-engine-operator"

// multiclusterOperator installs the operator of multicluster engine, which brings HyperShift. Advanced Cluster
// Management installs its own, and then no other is added.
type multiclusterOperator struct {
	pins  olm.Pins
	taken prereq.TakeOver
}

func (s multiclusterOperator) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Operator, Title: "multicluster engine operator", Needs: prereq.Gates(),
		Check: s.check, Apply: s.apply, Timeout: olm.Timeout,
		TakesOver: olm.TakesOver + "; continues where the MultiClusterHub is paused",
		Replaces:  olm.Replaces(),
		Rights: prereq.Rights{
			Check:  append(olm.CheckRights(), prereq.ListEngine(), listHub()),
			Apply:  append(olm.ApplyRights(), patchHub()),
			Remove: olm.RemoveRights(olm.MulticlusterEngine()),
		},
		Remove: []prereq.Removal{olm.NewRemoval(olm.MulticlusterEngine(), kube.MultiClusterEngine).
			Removal(removeEngineOperator, prereq.RemoveEngine)},
	}
}

func (s multiclusterOperator) installer() olm.Installer {
	return olm.NewInstaller(olm.MulticlusterEngine().Pinned(s.pins))
}

func (s multiclusterOperator) check(ctx context.Context, r kube.Reader) step.Finding {
	f := olm.OrHealthy(ctx, r, s.installer().Check(ctx, r), kube.MultiClusterEngine, judgeEngines, operatorName)
	if f.State != step.StateMissing && f.State != step.StateBroken {
		return f
	}
	// A Subscription that is there is the engine's own affair, whoever made it.
	sub, err := olm.FindSubscription(ctx, r, olm.MulticlusterEngine())
	switch {
	case kube.IsKindMissing(err), err == nil && sub != nil:
		return f
	case err != nil:
		return kube.Unknown(err).On("Subscriptions")
	}
	return s.unlessManaged(ctx, r, f)
}

// unlessManaged is f, unless Advanced Cluster Management is there or about to be: it brings the engine itself, and a
// second one would fight with it.
func (s multiclusterOperator) unlessManaged(ctx context.Context, r kube.Reader, f step.Finding) step.Finding {
	acm, err := prereq.Hub(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("MultiClusterHubs")
	}
	switch {
	case acm != nil && isPausedHub(acm) && s.taken[Operator]:
		return step.Missing("Advanced Cluster Management, which brings multicluster engine itself, is paused").
			On("%s", describeOwner(acm))
	case acm != nil:
		return judgeHub(acm)
	}
	sub, err := olm.FindSubscription(ctx, r, managementRow())
	switch {
	case err != nil:
		return kube.Unknown(err).On("Subscriptions")
	case sub != nil:
		return judgeManagement(sub)
	}
	return f
}

// managementRow is Advanced Cluster Management, which hcctl looks for but never installs.
func managementRow() olm.Operator {
	return olm.Operator{Title: "Advanced Cluster Management", Package: "advanced-cluster-management",
		Namespace: "open-cluster-management", CSVPrefix: "advanced-cluster-management.v"}
}

// judgeHub says how far a hub is that has not brought its engine's operator yet.
func judgeHub(acm *unstructured.Unstructured) step.Finding {
	object := "MultiClusterHub " + kube.Name(acm)
	phase := kube.Text(acm, "status", "phase")
	if isPausedHub(acm) {
		return pausedHub(acm)
	}
	if phase == "" {
		phase = "none yet"
	}
	for _, c := range kube.Conditions(acm) {
		if c.False() && c.Message != "" {
			return step.Pending("Advanced Cluster Management (phase %s) brings multicluster engine itself: %s", phase,
				c.Describe()).
				On("%s", object)
		}
	}
	return step.Pending("Advanced Cluster Management (phase %s) brings multicluster engine itself", phase).On("%s", object)
}

// judgeManagement says what is to be done about Advanced Cluster Management that is subscribed to and has no hub.
func judgeManagement(sub *olmv1alpha1.Subscription) step.Finding {
	object := "Subscription " + kube.Name(sub)
	if sub.Status.InstalledCSV == "" {
		return step.Pending("Advanced Cluster Management, which brings multicluster engine itself, is not installed yet "+
			"(state %q)", sub.Status.State).On("%s", object)
	}
	return step.Broken("Advanced Cluster Management (%s) is installed and brings multicluster engine itself, but has no "+
		"MultiClusterHub to do it for", sub.Status.InstalledCSV).On("%s", object).
		WithHint(`oc apply -f - <<< '{"apiVersion":"operator.open-cluster-management.io/v1","kind":"MultiClusterHub",`+
			`"metadata":{"name":"multiclusterhub","namespace":%q},"spec":{}}', or remove that Subscription to have `+
			`multicluster engine alone`,
			sub.Namespace)
}
