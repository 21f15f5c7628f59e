package prereqs

import (
	"context"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// localStorageOperator: the operator that makes volumes of the nodes' empty disks, for Data Foundation to build on.
type localStorageOperator struct {
	c    *kube.Client
	pins operatorPins
}

func (s localStorageOperator) step() step.Step {
	return step.Step{
		ID: LocalStorageOperator, Title: "Local Storage Operator", Needs: gates(),
		Check: s.check, Apply: s.installer().apply, Timeout: operatorTimeout,
	}
}

func (s localStorageOperator) installer() installer {
	return installer{s.c, localStorageRow().pinned(s.pins)}
}

func (s localStorageOperator) check(ctx context.Context) step.Finding {
	if f := localDisksUnneeded(ctx, s.c); f != nil {
		return *f
	}
	return s.installer().check(ctx)
}

// localDisksUnneeded tells whether hcctl leaves the disks alone: there is a default class of another origin, or a
// StorageCluster on other volumes. Nil means local volumes are wanted.
func localDisksUnneeded(ctx context.Context, c *kube.Client) *step.Finding {
	if f := storageKept(ctx, c); f != nil {
		return f
	}
	clusters, err := storageClusters(ctx, c)
	if err != nil {
		f := kube.Unread(err).On("StorageClusters")
		return &f
	}
	for i := range clusters {
		sc := &clusters[i]
		for _, class := range deviceClasses(sc) {
			if class != localClass {
				f := step.Okay("not needed: StorageCluster %s is there, on volumes of class %q", kube.Name(sc), class).On("StorageCluster %s", kube.Name(sc))
				return &f
			}
		}
	}
	return nil
}
