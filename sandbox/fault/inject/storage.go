package inject

import (
	"context"

	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/fault"
)

// twoDefaultClasses adds a default StorageClass, or two if the cluster has none.
func (s *injector) twoDefaultClasses(ctx context.Context) error {
	if err := s.apply(ctx, fault.TwoDefaultClasses); err != nil || s.Profile.Provisioned() {
		return err
	}
	return s.apply(ctx, fault.TwoDefaultClasses+"-bare")
}

// lvmsOnly leaves one class of LVM Storage. In a provisioned cluster it removes OpenShift Data Foundation.
func (s *injector) lvmsOnly(ctx context.Context) error {
	if s.Profile.Provisioned() {
		for _, o := range []client.Object{
			object("ocs.openshift.io/v1", "StorageCluster", "openshift-storage", "ocs-storagecluster"),
			object("local.storage.openshift.io/v1alpha1", "LocalVolumeSet", "openshift-local-storage", "localblock"),
		} {
			if err := s.Client.Delete(ctx, o); client.IgnoreNotFound(err) != nil {
				return err
			}
		}
		err := waitFor(ctx, "the other classes and drivers to go", func(ctx context.Context) (bool, error) {
			classes, drivers := &storagev1.StorageClassList{}, &storagev1.CSIDriverList{}
			if err := s.Client.List(ctx, classes); err != nil {
				return false, err
			}
			err := s.Client.List(ctx, drivers)
			return len(classes.Items)+len(drivers.Items) == 0, err
		})
		if err != nil {
			return err
		}
	}
	if err := s.apply(ctx, fault.LVMSOnly); err != nil || !s.Profile.Provisioned() {
		return err
	}
	if err := s.registerDriver(ctx, "topolvm.io"); err != nil {
		return err
	}
	profile := object("cdi.kubevirt.io/v1beta1", "StorageProfile", "", "lvms-vg1")
	return waitFor(ctx, "CDI's StorageProfile", func(ctx context.Context) (bool, error) {
		err := s.Client.Get(ctx, client.ObjectKeyFromObject(profile), profile)
		return profile.Object["status"] != nil, err
	})
}

// registerDriver makes every node run a CSI driver.
func (s *injector) registerDriver(ctx context.Context, name string) error {
	if err := s.Client.Create(ctx, &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil &&
		!apierrors.IsAlreadyExists(err) {
		return err
	}
	nodes := &storagev1.CSINodeList{}
	if err := s.Client.List(ctx, nodes); err != nil {
		return err
	}
	for i := range nodes.Items {
		node := &nodes.Items[i]
		before := client.MergeFromWithOptions(node.DeepCopy(), client.MergeFromWithOptimisticLock{})
		node.Spec.Drivers = append(node.Spec.Drivers, storagev1.CSINodeDriver{Name: name, NodeID: node.Name})
		if err := s.Client.Patch(ctx, node, before); err != nil {
			return err
		}
	}
	return nil
}
