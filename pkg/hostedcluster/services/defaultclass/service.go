// Package defaultclass is the service that marks one StorageClass of the hosted cluster as the default. If classes are
// mapped, HyperShift marks none of them (control-plane-operator, csi/kubevirt, reconcileCustomTenantStorageClass, 4.14
// to 5.2), so claims without a class would stay pending.
package defaultclass

import (
	"context"
	"fmt"
	"strings"

	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services/internal/service"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// ID is the step ID of --guest-default-storage-class.
const ID step.ID = "services/default-storage-class"

// defaultAnnotation marks the default StorageClass.
const defaultAnnotation = "storageclass.kubernetes.io/is-default-class"

// Service makes the class the only default StorageClass.
func Service() service.Service {
	return service.Service{
		ID: ID, Title: "default StorageClass", Page: "docs/services.md#storage",
		For:   func(o options.Validated) bool { return o.GuestDefaultStorageClass != "" },
		Check: check, Apply: apply,
	}
}

func check(ctx context.Context, t service.Tenant, r kube.Reader) step.Finding {
	hosted, err := t.GuestReader(ctx, r)
	if err != nil {
		return service.Unreached(err, t)
	}
	bounded, cancel := context.WithTimeout(ctx, guest.Timeout)
	defer cancel()
	var classes storagev1.StorageClassList
	if err := hosted.List(bounded, &classes); err != nil {
		return guest.Unknown("the StorageClasses of the hosted cluster cannot be read", err, t.Cluster)
	}
	return judge(classes.Items, t.Options.GuestDefaultStorageClass).RecheckAfter(guest.Timeout)
}

// judge returns OK if the class is the only default one. HyperShift creates the classes some time after the API server
// answers.
func judge(classes []storagev1.StorageClass, name string) step.Finding {
	found, others := false, []string(nil)
	marked := false
	for i := range classes {
		is := classes[i].Annotations[defaultAnnotation] == "true"
		switch {
		case classes[i].Name == name:
			found, marked = true, is
		case is:
			others = append(others, classes[i].Name)
		}
	}
	f := step.OK("is the default class")
	switch {
	case !found:
		f = step.Pending("is not there yet: HyperShift makes it of the mapping")
	case !marked:
		f = step.Missing("is not the default class")
	case len(others) > 0:
		f = step.Missing("is not the only default class: %s", strings.Join(others, ", "))
	}
	return f.On("StorageClass %s of the hosted cluster", name)
}

func apply(ctx context.Context, t service.Tenant) (step.Change, error) {
	hosted, err := t.GuestClient(ctx)
	if err != nil {
		return "", err
	}
	var classes storagev1.StorageClassList
	if err := hosted.List(ctx, &classes); err != nil {
		return "", fmt.Errorf("StorageClasses of the hosted cluster: %w", err)
	}
	change := step.Unchanged
	for i := range classes.Items {
		class := &classes.Items[i]
		want := "false"
		if class.Name == t.Options.GuestDefaultStorageClass {
			want = "true"
		}
		have := class.Annotations[defaultAnnotation]
		if have == want || want == "false" && have != "true" {
			continue
		}
		patch := fmt.Sprintf(`{"metadata":{"annotations":{%q:%q}}}`, defaultAnnotation, want)
		if err := hosted.Patch(ctx, class, client.RawPatch(types.MergePatchType, []byte(patch)),
			client.FieldOwner(kube.FieldOwner)); err != nil {
			return change, fmt.Errorf("StorageClass %s of the hosted cluster: %w", class.Name, err)
		}
		change = step.Configured
	}
	return change, nil
}
