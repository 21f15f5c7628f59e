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

// IDs of the prerequisite and its removal.
const (
	Operator             step.ID = "multicluster/operator"
	removeEngineOperator step.ID = "uninstall/engine-operator"
)

// engineWebhook names the operator's webhook configuration. It belongs to the CRD and stays with it (2.2 to 5.1).
const engineWebhook = "multiclusterengines.multicluster.openshift.io"

// operatorName names the Deployment of the engine's operator (2.2 to 5.1).
const operatorName = "multicluster-engine-operator"

// multiclusterOperator installs the operator of multicluster engine, which provides HyperShift. If Advanced Cluster
// Management installs it, hcctl adds no second one.
type multiclusterOperator struct {
	pins     olm.Pins
	takeOver prereq.TakeOver
}

func (s multiclusterOperator) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Operator, Title: "multicluster engine operator", Needs: prereq.Gates(),
		Check: s.check, Apply: s.apply, Timeout: olm.Timeout,
		TakesOver: olm.TakesOver + "; continues where the MultiClusterHub is paused",
		Replaces:  olm.Replaces(),
		Rights: prereq.Rights{
			Check: append(olm.CheckRights(), prereq.ListEngine(), listHub(),
				prereq.ListMulticluster("clusterextensions.olm.operatorframework.io")),
			Apply:  append(olm.ApplyRights(), patchHub()),
			Remove: olm.RemoveRights(olm.MulticlusterEngine()),
		},
		Effects: []prereq.Effect{{By: "multicluster engine's operator", Kind: kube.ValidatingWebhookConfiguration,
			Name: engineWebhook, For: kube.MultiClusterEngine,
			Does:   "the operator is asked about every MultiClusterEngine; without it none can be written",
			Remove: "oc delete validatingwebhookconfiguration " + engineWebhook}},
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
	if own := extension(ctx, r, olm.MulticlusterEngine().Package); own != nil {
		return *own
	}
	// An existing Subscription is the engine's own, whoever created it.
	sub, err := olm.FindSubscription(ctx, r, olm.MulticlusterEngine())
	switch {
	case kube.IsKindMissing(err), err == nil && sub != nil:
		return f
	case err != nil:
		return kube.Unknown(err).On("Subscriptions")
	}
	return s.unlessManaged(ctx, r, f)
}

// unlessManaged returns f, unless Advanced Cluster Management exists or is being installed: it installs the engine
// itself, and a second one would conflict.
func (s multiclusterOperator) unlessManaged(ctx context.Context, r kube.Reader, f step.Finding) step.Finding {
	acm, err := prereq.Hub(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("MultiClusterHubs")
	}
	switch {
	case acm != nil && isPausedHub(acm) && s.takeOver[Operator]:
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
	switch acm := extension(ctx, r, managementRow().Package); {
	case acm == nil:
		return f
	case acm.State != step.StateOK:
		return *acm
	default:
		return step.Broken("Advanced Cluster Management (%s) brings multicluster engine itself, but has no MultiClusterHub "+
			"to do it for", acm.Message).On("%s", acm.Object).
			WithHint("make a MultiClusterHub, or remove that ClusterExtension to have multicluster engine alone")
	}
}

// extension returns the state of the ClusterExtension of a package, or nil if there is none. OLM v1 installs operators
// by ClusterExtensions; if it installed Advanced Cluster Management 5.0, that installs its engine in this way too. A
// second operator by a Subscription would conflict.
func extension(ctx context.Context, r kube.Reader, name string) *step.Finding {
	list := kube.ClusterExtension.NewList()
	if err := r.List(ctx, list); err != nil {
		if kube.IsKindMissing(err) {
			return nil
		}
		f := kube.Unknown(err).On("ClusterExtensions")
		return &f
	}
	for i := range list.Items {
		if kube.Text(&list.Items[i], "spec", "source", "catalog", "packageName") == name {
			f := judgeExtension(&list.Items[i]).On("ClusterExtension %s", list.Items[i].GetName())
			return &f
		}
	}
	return nil
}

func judgeExtension(u *unstructured.Unstructured) step.Finding {
	conditions := kube.Conditions(u)
	installed := kube.FindCondition(conditions, "Installed")
	progressing := kube.FindCondition(conditions, kube.ConditionProgressing)
	switch {
	case installed.True() && progressing.Status != "" && progressing.Reason != "Succeeded":
		return step.OK("installed by OLM v1: %s; an update waits: %s", kube.Text(u, "status", "install", "bundle",
			"name"), progressing.Describe())
	case installed.True():
		return step.OK("installed by OLM v1: %s", kube.Text(u, "status", "install", "bundle", "name"))
	case progressing.False():
		return step.Broken("OLM v1 does not install it: %s", progressing.Describe()).
			WithHint("oc get clusterextension %s -o yaml", u.GetName())
	case progressing.Message != "":
		return step.Pending("OLM v1 installs it: %s", progressing.Describe())
	}
	return step.Pending("OLM v1 has not installed it yet")
}

// managementRow describes Advanced Cluster Management, which hcctl looks for but never installs.
func managementRow() olm.Operator {
	return olm.Operator{Title: "Advanced Cluster Management", Package: "advanced-cluster-management",
		Namespace: "open-cluster-management", CSVPrefix: "advanced-cluster-management.v"}
}

// judgeHub returns the progress of a hub that has not installed its engine's operator yet.
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

// judgeManagement judges Advanced Cluster Management that has a Subscription and no hub.
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
