package datafoundation

import (
	"context"
	"strings"

	operatorsv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// ocsVersion begins the name of ocs-operator's ClusterServiceVersions.
const ocsVersion = "ocs-operator.v"

// Scaler is what odf-operator does from 4.19 on: ocs-operator has no pods until there is a StorageCluster.
func Scaler() operator.Operator {
	return operator.Operator{
		Name:       "odf-operator",
		Deployment: types.NamespacedName{Namespace: storageNamespace, Name: "odf-operator-controller-manager"},
		Setup: func(_ context.Context, mgr ctrl.Manager, env operator.Env) error {
			f := &dataFoundation{framework.NewRun(mgr, env)}
			if !framework.AtLeast(f.Profile.Minor(), "4.19") {
				return nil
			}
			return f.WhenServed("storagecluster-crd", func() error {
				// OLM writes the Deployment anew with each version.
				return f.NewController("operatorscaler", framework.Unstructured(storageClusterKind)).
					Watches(&appsv1.Deployment{}, f.ToEach(framework.UnstructuredList(storageClusterKind)),
						framework.InNamespaces(storageNamespace)).
					Complete(f.ForExisting(storageClusterKind, f.scaleUp))
			}, storageClusterKind)
		},
	}
}

// scaleUp lets ocs-operator run, in the ClusterServiceVersion: OLM writes its Deployment.
func (f *dataFoundation) scaleUp(ctx context.Context, _ *unstructured.Unstructured) (ctrl.Result, error) {
	list := &operatorsv1alpha1.ClusterServiceVersionList{}
	if err := f.Live.List(ctx, list, framework.InNamespace(storageNamespace)); err != nil {
		return ctrl.Result{}, err
	}
	for i := range list.Items {
		csv := &list.Items[i]
		specs := csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs
		if !strings.HasPrefix(csv.Name, ocsVersion) || len(specs) == 0 || ptr.Deref(specs[0].Spec.Replicas, 1) > 0 {
			continue
		}
		err := framework.Change(ctx, f.Live, csv, func(csv *operatorsv1alpha1.ClusterServiceVersion) {
			csv.Spec.InstallStrategy.StrategySpec.DeploymentSpecs[0].Spec.Replicas = ptr.To[int32](1)
		})
		if err != nil {
			return ctrl.Result{}, err
		}
	}
	return ctrl.Result{}, nil
}
