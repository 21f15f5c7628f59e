package inject

import (
	"context"

	storagev1 "k8s.io/api/storage/v1"
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
		err := waitFor(ctx, "the other classes to go", func(ctx context.Context) (bool, error) {
			classes := &storagev1.StorageClassList{}
			err := s.Client.List(ctx, classes)
			return len(classes.Items) == 0, err
		})
		if err != nil {
			return err
		}
	}
	if err := s.apply(ctx, fault.LVMSOnly); err != nil || !s.Profile.Provisioned() {
		return err
	}
	profile := object("cdi.kubevirt.io/v1beta1", "StorageProfile", "", "lvms-vg1")
	return waitFor(ctx, "CDI's StorageProfile", func(ctx context.Context) (bool, error) {
		err := s.Client.Get(ctx, client.ObjectKeyFromObject(profile), profile)
		return profile.Object["status"] != nil, err
	})
}
