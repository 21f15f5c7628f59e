package prereqs

import (
	"cmp"
	"context"
	"slices"
	"strings"

	storagev1 "k8s.io/api/storage/v1"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	defaultClassAnnotation     = "storageclass.kubernetes.io/is-default-class"
	betaDefaultClassAnnotation = "storageclass.beta.kubernetes.io/is-default-class"
	// noProvisioner marks classes whose volumes somebody makes by hand (or the Local Storage Operator).
	noProvisioner = "kubernetes.io/no-provisioner"
)

// defaultClasses lists the StorageClasses marked as default, the one Kubernetes (1.26 and later) uses first: the newest, of
// several of the same age the first by name.
func defaultClasses(ctx context.Context, c *kube.Client) ([]storagev1.StorageClass, error) {
	list := &storagev1.StorageClassList{}
	if err := c.List(ctx, list); err != nil {
		return nil, err
	}
	marked := slices.DeleteFunc(list.Items, func(sc storagev1.StorageClass) bool {
		return sc.Annotations[defaultClassAnnotation] != "true" && sc.Annotations[betaDefaultClassAnnotation] != "true"
	})
	slices.SortFunc(marked, func(a, b storagev1.StorageClass) int {
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), strings.Compare(a.Name, b.Name))
	})
	return marked, nil
}

// dataFoundationClass tells the classes of OpenShift Data Foundation from others: its CSI drivers are named after its
// namespace.
func dataFoundationClass(sc *storagev1.StorageClass) bool {
	return strings.HasSuffix(sc.Provisioner, ".csi.ceph.com") || strings.HasPrefix(sc.Name, storageClusterName+"-")
}

// storageKept tells whether the cluster has a default class of another origin. Then hcctl installs no storage: the steps that
// would are OK, with this finding. Nil means storage is hcctl's to set up.
func storageKept(ctx context.Context, c *kube.Client) *step.Finding {
	classes, err := defaultClasses(ctx, c)
	if err != nil {
		f := kube.Unread(err).On("StorageClasses")
		return &f
	}
	for i := range classes {
		if !dataFoundationClass(&classes[i]) {
			f := step.Okay("not needed: default StorageClass %s is there", classes[i].Name).On("StorageClass %s", classes[i].Name)
			return &f
		}
	}
	return nil
}
