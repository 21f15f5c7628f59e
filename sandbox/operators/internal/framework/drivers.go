package framework

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const workerLabel = "node-role.kubernetes.io/worker"

// RegisterDrivers does what the pods of CSI drivers bring about: a CSIDriver for each, and their names in the CSINode
// of each worker, which kubelets write.
func (l *Run) RegisterDrivers(ctx context.Context, names ...string) error {
	for _, name := range names {
		driver := &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: name}}
		driver.Spec.VolumeLifecycleModes = []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecyclePersistent}
		if found, err := Exists(ctx, l.Client, driver.DeepCopy()); err != nil {
			return err
		} else if !found {
			if err := Create(ctx, l.Client, driver); err != nil {
				return err
			}
		}
	}
	return l.eachWorker(ctx, func(csi *storagev1.CSINode) {
		for _, name := range names {
			if !slices.ContainsFunc(csi.Spec.Drivers, func(d storagev1.CSINodeDriver) bool { return d.Name == name }) {
				csi.Spec.Drivers = append(csi.Spec.Drivers, storagev1.CSINodeDriver{Name: name, NodeID: csi.Name})
			}
		}
	})
}

// UnregisterDrivers undoes RegisterDrivers.
func (l *Run) UnregisterDrivers(ctx context.Context, names ...string) error {
	err := l.eachWorker(ctx, func(csi *storagev1.CSINode) {
		csi.Spec.Drivers = slices.DeleteFunc(csi.Spec.Drivers,
			func(d storagev1.CSINodeDriver) bool { return slices.Contains(names, d.Name) })
	})
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := Remove(ctx, l.Client, &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			return err
		}
	}
	return nil
}

// eachWorker changes the CSINode of each worker, and makes those that do not exist.
func (l *Run) eachWorker(ctx context.Context, change func(*storagev1.CSINode)) error {
	nodes := &corev1.NodeList{}
	if err := l.Client.List(ctx, nodes); err != nil {
		return err
	}
	for i := range nodes.Items {
		node := &nodes.Items[i]
		if _, worker := node.Labels[workerLabel]; !worker {
			continue
		}
		csi := &storagev1.CSINode{ObjectMeta: metav1.ObjectMeta{Name: node.Name}}
		if err := Ensure(ctx, l.Client, csi, func(c *storagev1.CSINode) {
			c.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Node", Name: node.Name, UID: node.UID}}
			change(c)
		}); err != nil {
			return err
		}
	}
	return nil
}
