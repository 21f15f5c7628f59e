package multicluster

import (
	"context"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/hostedversions"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// HypershiftVersions is the prerequisite of this file.
const HypershiftVersions step.ID = "hypershift/supported-versions"

const versionsObject = "ConfigMap " + hypershiftNamespace + "/supported-versions"

// supportedVersions checks that the HyperShift operator reports which releases it can install. Documents list only the
// tested releases.
type supportedVersions struct{}

func (s supportedVersions) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: HypershiftVersions, Title: "hosted versions", Needs: []step.ID{HypershiftOperator},
		Check: s.check, Timeout: 5 * time.Minute,
		Rights: prereq.Rights{
			Check: []access.Rule{readOperator(),
				// Namespace hypershift may not exist before bootstrap, and a Role needs it.
				{Verbs: "get", Resources: "configmaps", Names: "supported-versions",
					Why: "which versions HyperShift's operator can create"}},
		},
		Preflight: &prereq.Preflight{},
	}
}

func (s supportedVersions) check(ctx context.Context, r kube.Reader) step.Finding {
	versions := &corev1.ConfigMap{}
	err := r.Get(ctx, types.NamespacedName{Namespace: hypershiftNamespace, Name: "supported-versions"}, versions)
	switch {
	case apierrors.IsNotFound(err):
		return s.absent(ctx, r)
	case err != nil:
		return kube.Unknown(err).On(versionsObject)
	}
	return judgeSupportedVersions(versions.Data["supported-versions"]).On(versionsObject)
}

// absent returns the finding about a missing ConfigMap. The operator writes it when it starts, so without an operator
// there is nothing to wait for.
func (s supportedVersions) absent(ctx context.Context, r kube.Reader) step.Finding {
	operator := &appsv1.Deployment{}
	err := r.Get(ctx, types.NamespacedName{Namespace: hypershiftNamespace, Name: "operator"}, operator)
	switch {
	case apierrors.IsNotFound(err):
		return *prereq.NothingYet("HyperShift's operator, which says what it can create, is not there")
	case err != nil:
		return kube.Unknown(err).On("Deployment %s/operator", hypershiftNamespace)
	}
	if f := health.ScaledToZero(operator, health.HyperShiftReplicas); f != nil {
		return *f
	}
	return step.Pending("HyperShift's operator has not written yet which versions it can create").On(versionsObject)
}

func judgeSupportedVersions(data string) step.Finding {
	supported, err := hostedversions.Parse(data)
	if err != nil {
		return step.Pending("supported-versions cannot be read: %v", err).WithTrouble()
	}
	if len(supported) == 0 {
		return step.Pending("no version is listed yet")
	}
	return step.OK("hosted clusters can be %s", strings.Join(supported, ", "))
}
