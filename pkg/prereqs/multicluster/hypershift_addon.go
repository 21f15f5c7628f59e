package multicluster

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	addonv1alpha1 "open-cluster-management.io/api/addon/v1alpha1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	HypershiftAddon step.ID = "hypershift/addon"
	removeAddon     step.ID = "uninstall/hypershift-addon"
)

const (
	addonName = "hypershift-addon"
	// addonNamespace is the namespace of the addon's agent in every version.
	addonNamespace = "open-cluster-management-agent-addon"
)

// errNoLocalCluster means that there is no ManagedCluster for the addon.
var errNoLocalCluster = errors.New("there is no local cluster to install it on")

// hypershiftAddon creates the addon that installs the HyperShift operator on the local cluster.
type hypershiftAddon struct{}

func (s hypershiftAddon) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: HypershiftAddon, Title: "hypershift addon", Needs: []step.ID{Component, LocalCluster},
		Check: s.check, Apply: s.apply, Timeout: 20 * time.Minute,
		Rights: addonRights(),
		Effects: []prereq.Effect{
			admissionPolicy("hypershift.openshift.io-deprecation-policy", 21,
				"a HostedCluster with a deprecated field gets a warning"),
			admissionPolicy("hostedcluster-block-key-rotation-during-reencryption", 22,
				"the encryption key of a HostedCluster stays while its data is encrypted anew"),
		},
		Remove: []prereq.Removal{s.removal()},
	}
}

// admissionPolicy returns the effect of a ValidatingAdmissionPolicy, with its binding, that HyperShift's operator
// writes when it starts. The cleanup of the hypershift addon deletes only what the operator was installed with.
func admissionPolicy(name string, since int, does string) prereq.Effect {
	return prereq.Effect{By: "HyperShift's operator", Kind: kube.ValidatingAdmissionPolicy, Name: name, Since: since,
		For: kube.MultiClusterEngine, Does: does,
		Remove: "oc delete validatingadmissionpolicy,validatingadmissionpolicybinding " + name}
}

func (s hypershiftAddon) check(ctx context.Context, r kube.Reader) step.Finding {
	cluster, err := findLocalCluster(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("ManagedClusters")
	case cluster == nil:
		return step.Missing("%v", errNoLocalCluster).On("ManagedClusterAddOn %s", addonName)
	}
	addon, limits := &addonv1alpha1.ManagedClusterAddOn{}, ""
	err = kube.Together(
		func() error {
			return r.Get(ctx, types.NamespacedName{Namespace: cluster.Name, Name: addonName}, addon)
		},
		func() error { limits = s.limits(ctx, r); return nil },
	)
	switch {
	case apierrors.IsNotFound(err):
		return s.absent(ctx, r, cluster.Name)
	case err != nil:
		return kube.Unknown(err).On("ManagedClusterAddOn %s/%s", cluster.Name, addonName)
	}
	f := judgeAddon(addon)
	switch {
	case f.State == step.StateOK:
		f.Message += limits
	case f.State == step.StatePending && addon.DeletionTimestamp == nil:
		return prereq.Explained(f, addonCause(ctx, r, addonName))
	}
	return f
}

// addonCause returns the problem of the agents of addons, or nil. For the hypershift addon it first judges HyperShift's
// operator, which its agent installs.
func addonCause(ctx context.Context, r kube.Reader, name string) *step.Finding {
	if name == addonName {
		if cause := prereq.JudgeDeployment(ctx, r, hypershiftNamespace, "operator", 2); cause != nil {
			return cause
		}
	}
	return prereq.JudgeWorkloads(ctx, r, addonNamespace)
}

// limits describes the addon's limits of hosted clusters, or returns "" if they cannot be read.
func (s hypershiftAddon) limits(ctx context.Context, r kube.Reader) string {
	mce, err := prereq.Engine(ctx, r)
	if err != nil || mce == nil {
		return ""
	}
	config := &addonv1alpha1.AddOnDeploymentConfig{}
	if err := r.Get(ctx, types.NamespacedName{Namespace: prereq.EngineNamespace(mce), Name: prereq.AddonConfigName},
		config); err != nil {
		return ""
	}
	return addonLimits(config.Spec.CustomizedVariables)
}

// addonLimits describes hcMaxNumber and hcThresholdNumber: the numbers of hosted clusters from which the addon reports
// its cluster as full, and as filling up.
func addonLimits(variables []addonv1alpha1.CustomizedVariable) string {
	maxNumber, threshold := "", ""
	for _, v := range variables {
		switch v.Name {
		case "hcMaxNumber":
			maxNumber = v.Value
		case "hcThresholdNumber":
			threshold = v.Value
		}
	}
	if maxNumber == "" || threshold == "" {
		return ""
	}
	return fmt.Sprintf("; it calls this cluster full at %s hosted clusters, and warns from %s", maxNumber, threshold)
}

// absent returns the finding about a missing addon. multicluster engine 2.2 and later creates it once its components
// for hosting are enabled (backplane-operator 2.2 to 2.11); before, the administrator does.
func (s hypershiftAddon) absent(ctx context.Context, r kube.Reader, cluster string) step.Finding {
	mce, err := prereq.Engine(ctx, r)
	switch {
	case err != nil:
		return kube.Unknown(err).On("MultiClusterEngines")
	case mce == nil, prereq.EngineBefore(prereq.EngineVersion(mce), 2):
		return step.Missing("it is not installed on cluster %s", cluster).On("ManagedClusterAddOn %s/%s", cluster, addonName)
	}
	if off := componentsOff(mce, nil); len(off) > 0 {
		return step.Pending("multicluster engine does not create it: %s", describeOff(off)).
			On("ManagedClusterAddOn %s/%s", cluster, addonName)
	}
	return step.Pending("multicluster engine has not created it yet").On("ManagedClusterAddOn %s/%s", cluster, addonName)
}

// judgeAddon requires Available True and Degraded False. The reasons do not help: Degraded has HypershiftDeployed
// whether the operator exists or not.
func judgeAddon(addon *addonv1alpha1.ManagedClusterAddOn) step.Finding {
	object := "ManagedClusterAddOn " + kube.Name(addon)
	if f := prereq.Deleting("ManagedClusterAddOn", addon); f != nil {
		return *f
	}
	for _, want := range []struct {
		conditionType string
		status        metav1.ConditionStatus
	}{
		{addonv1alpha1.ManagedClusterAddOnConditionDegraded, metav1.ConditionFalse},
		{addonv1alpha1.ManagedClusterAddOnConditionAvailable, metav1.ConditionTrue},
	} {
		c := kube.ConditionOf(addon, addon.Status.Conditions, want.conditionType)
		if c.Status == "" {
			return step.Pending("%s", c.Describe()).On("%s", object)
		}
		if c.Status != string(want.status) || c.Doubt != "" {
			f := step.Pending("%s", describeAddon(c)).On("%s", object).
				WithHint("oc get jobs,pods -n %s; oc get deployment,pods -n %s", addonNamespace, hypershiftNamespace)
			f.Trouble = c.Type == kube.ConditionDegraded
			return f
		}
	}
	return step.OK("Available, not degraded").On("%s", object)
}

// describeAddon describes a condition of the addon. Its agent writes one word instead of a message.
func describeAddon(c kube.Condition) string {
	readable := c
	if c.Reason == "HypershiftDeployed" {
		readable.Reason = ""
	}
	words := map[string]string{
		"OperatorNotFound":                   "HyperShift's operator is not deployed (yet)",
		"OperatorDeleted":                    "HyperShift's operator is being deleted",
		"OperatorNotAllAvailableReplicas":    "not all replicas of HyperShift's operator are available",
		"ExternalDNSNotFound":                "external-dns is not deployed, although its credentials are there",
		"ExternalDNSDeleted":                 "external-dns is being deleted",
		"ExternalDNSNotAllAvailableReplicas": "not all replicas of external-dns are available",
	}
	if sentence, ok := words[c.Message]; ok {
		readable.Message += ": " + sentence
	}
	return readable.Describe()
}

func (s hypershiftAddon) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	cluster, err := findLocalCluster(ctx, c)
	switch {
	case err != nil:
		return "", err
	case cluster == nil:
		return "", errNoLocalCluster
	}
	return c.CreateOnce(ctx, &addonv1alpha1.ManagedClusterAddOn{
		ObjectMeta: metav1.ObjectMeta{Namespace: cluster.Name, Name: addonName},
		//nolint:staticcheck // deprecated, but what the MCE before 2.2, for which this is, reads
		Spec: addonv1alpha1.ManagedClusterAddOnSpec{InstallNamespace: addonNamespace},
	})
}

// removal removes the addon only if hcctl created it: versions of multicluster engine that create it also remove it.
func (s hypershiftAddon) removal() prereq.Removal {
	addon := removal.Object{Kind: managedAddOns(), Name: addonName}
	out := addon.Removal(removeAddon, "hypershift addon", prereq.NoHostedClusters)
	out.Group = "multicluster"
	return out
}

func addonRights() prereq.Rights {
	const addons = "managedclusteraddons.addon.open-cluster-management.io"
	return prereq.Rights{
		Check: append(prereq.ReadWorkloads(), prereq.ReadVersion(), prereq.ListEngine(), listManaged(),
			prereq.ReadAddonConfig(), readOperator(), access.Rule{Verbs: "get", Resources: addons, Names: addonName,
				Why: "the add-on that brings HyperShift's operator"}),
		Apply: []access.Rule{{Verbs: "create", Resources: addons,
			Why: "the add-on that brings HyperShift's operator, where multicluster engine does not make it"}},
		Remove: []access.Rule{{Verbs: "get delete", Resources: addons, Names: addonName,
			Why: "where multicluster engine did not make it, and bootstrap did"}},
	}
}
