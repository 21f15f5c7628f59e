package storage

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/olm"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// IDs of the prerequisite and its removal.
const (
	LVMOperator       step.ID = "storage/lvm-operator"
	removeLVMOperator step.ID = "uninstall/lvm-operator"
)

// podSecurityPrefix is the prefix of the pod security labels of a namespace.
const podSecurityPrefix = "pod-security.kubernetes.io/"

// lvmOperator installs LVM Storage, but only if --storage asks for it or its LVMCluster exists.
type lvmOperator struct{ common }

func (s lvmOperator) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: LVMOperator, Title: "LVM Storage operator", Needs: prereq.Gates(),
		Check: s.check, Apply: s.apply, Timeout: olm.Timeout,
		TakesOver: olm.TakesOver, Replaces: olm.Replaces(),
		Rights: prereq.Rights{
			Check: slices.Concat(planRights(), listStorage("persistentvolumes"), olm.CheckRights(),
				[]access.Rule{prereq.ReadNamespaces()}),
			Apply: append(olm.ApplyRights(), access.Rule{Verbs: "patch", Resources: "namespaces",
				Names: "openshift-lvm-storage openshift-storage", Features: []access.Feature{access.LVMStorage},
				Why: "allows LVM Storage's pods their privileges"}),
			Remove: olm.RemoveRights(olm.LVMStorage()),
		},
		Remove: []prereq.Removal{olm.NewRemoval(olm.LVMStorage(), kube.LVMCluster).Removal(removeLVMOperator,
			removeLVMCluster)},
	}
}

// lvmDriver is the CSI driver of LVM Storage (4.12 to 4.21).
const lvmDriver = "topolvm.io"

func (s lvmOperator) check(ctx context.Context, r kube.Reader) step.Finding {
	if f := s.unneeded(ctx, r, sourceLVM); f != nil {
		return *f
	}
	f := s.operator(olm.LVMStorage()).Check(ctx, r)
	if f.State != step.StateOK {
		f = olm.OrHealthy(ctx, r, f, kube.LVMCluster,
			func(all []unstructured.Unstructured) step.Finding { return judgeLVMClusters(all, r.Now()) })
		return keepVolumes(ctx, r, f, func(driver string) bool { return driver == lvmDriver })
	}
	name, err := s.namespace(ctx, r)
	if err != nil {
		return kube.Unknown(err)
	}
	namespace := &corev1.Namespace{}
	switch err := r.Get(ctx, types.NamespacedName{Name: name}, namespace); {
	case apierrors.IsNotFound(err):
		return f
	case err != nil:
		return kube.Unknown(err).On("Namespace %s", name)
	}
	if level, ok := namespace.Labels[podSecurityPrefix+"enforce"]; !ok {
		return step.Missing("label %senforce is not there, and LVM Storage's pods must be privileged", podSecurityPrefix).
			On("Namespace %s", name)
	} else if level != "privileged" {
		return step.Broken("label %senforce is %s, and LVM Storage's pods must be privileged", podSecurityPrefix, level).
			On("Namespace %s", name).
			WithHint("oc label namespace %s --overwrite %senforce=privileged", name, podSecurityPrefix)
	}
	return f
}

// namespace returns the namespace of the installed operator, or the one the bundle suggests. It changed with OpenShift
// 4.20.
func (s lvmOperator) namespace(ctx context.Context, r kube.Reader) (string, error) {
	sub, err := olm.FindSubscription(ctx, r, olm.LVMStorage())
	if err != nil {
		return "", fmt.Errorf("listing Subscriptions: %w", err)
	}
	if sub != nil {
		return sub.Namespace, nil
	}
	o, err := olm.FindOffer(ctx, r, olm.LVMStorage())
	if err != nil {
		return "", fmt.Errorf("%s: %w", olm.LVMStorage().Title, err)
	}
	return o.Namespace, nil
}

func (s lvmOperator) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	name, err := s.namespace(ctx, c)
	if err != nil {
		return "", err
	}
	labelled, err := c.Apply(ctx, privilegedNamespace(name))
	if err != nil {
		return "", err
	}
	installed, err := s.operator(olm.LVMStorage()).Apply(ctx, c)
	return step.Join(labelled, installed), err
}

// privilegedNamespace returns a namespace that admits privileged pods. LVM Storage's volume group manager works on the
// nodes' disks.
func privilegedNamespace(name string) *corev1.Namespace {
	labels := map[string]string{"openshift.io/cluster-monitoring": "true"}
	for _, mode := range []string{"enforce", "audit", "warn"} {
		labels[podSecurityPrefix+mode] = "privileged"
	}
	return &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
}
