package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"time"

	"github.com/google/uuid"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/sandbox/cluster/etcd"
	"github.com/hcctl/hcctl/sandbox/crds"
	"github.com/hcctl/hcctl/sandbox/profile"
	"github.com/hcctl/hcctl/sandbox/world"
)

// seed writes the CRDs at birth and their objects into an empty etcd, as the API server would have stored them. This
// saves the seconds that the API server needs to establish three dozen CRDs, and the memory to serve unused kinds; a
// test checks the objects with the API server's strict validation.
func seed(ctx context.Context, db *etcd.Store, p profile.Profile) error {
	definitions, err := crds.Set(crds.Birth, p.Minor())
	if err != nil {
		return err
	}
	objects, err := world.Objects(p)
	if err != nil {
		return err
	}
	values := map[string][]byte{}
	kinds := map[string]*apiextensionsv1.CustomResourceDefinition{}
	for _, crd := range definitions {
		if !world.Defines(p, crd.Name) {
			continue
		}
		kinds[crd.Spec.Group+"/"+crd.Spec.Names.Kind] = crd
		establish(crd)
		key := path.Join(etcd.ManagementPrefix, apiextensionsv1.GroupName, "customresourcedefinitions", crd.Name)
		if values[key], err = json.Marshal(crd); err != nil {
			return fmt.Errorf("encode CRD %s: %w", crd.Name, err)
		}
	}
	for _, o := range objects {
		crd := kinds[o.GroupVersionKind().Group+"/"+o.GetKind()]
		if crd == nil {
			continue // Kubernetes has the kind, and the API creates the object; or this cluster lacks the kind
		}
		stamp(o)
		key := path.Join(etcd.ManagementPrefix, crd.Spec.Group, crd.Spec.Names.Plural, o.GetNamespace(), o.GetName())
		if values[key], err = json.Marshal(o); err != nil {
			return fmt.Errorf("encode %s %s: %w", o.GetKind(), o.GetName(), err)
		}
	}
	return db.Put(ctx, values)
}

// establish sets the defaults and the status that the API server's controllers give a CRD.
func establish(crd *apiextensionsv1.CustomResourceDefinition) {
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(crd)
	crd.TypeMeta = metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(),
		Kind: "CustomResourceDefinition"}
	crd.UID, crd.Generation, crd.CreationTimestamp = newUID(), 1, metav1.Now()
	condition := func(t apiextensionsv1.CustomResourceDefinitionConditionType, reason,
		message string) apiextensionsv1.CustomResourceDefinitionCondition {
		return apiextensionsv1.CustomResourceDefinitionCondition{
			Type: t, Status: apiextensionsv1.ConditionTrue, Reason: reason, Message: message,
			LastTransitionTime: crd.CreationTimestamp,
		}
	}
	crd.Status = apiextensionsv1.CustomResourceDefinitionStatus{
		Conditions: []apiextensionsv1.CustomResourceDefinitionCondition{
			condition(apiextensionsv1.NamesAccepted, "NoConflicts", "no conflicts found"),
			condition(apiextensionsv1.Established, "InitialNamesAccepted", "the initial names have been accepted"),
		},
		AcceptedNames: crd.Spec.Names,
	}
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			crd.Status.StoredVersions = []string{v.Name}
		}
	}
}

// stamp sets the metadata that the API server gives each object it creates.
func stamp(o *unstructured.Unstructured) {
	o.SetUID(newUID())
	o.SetGeneration(1)
	o.SetCreationTimestamp(metav1.NewTime(time.Now()))
	// The API server tracks field managers only for objects that have managed fields from the beginning.
	owned, err := json.Marshal(fieldsOf(o.Object, "apiVersion", "kind", "metadata"))
	if err != nil {
		return // the object was decoded from YAML, so it can be encoded
	}
	o.SetManagedFields([]metav1.ManagedFieldsEntry{{
		Manager: birthManager, Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: o.GetAPIVersion(),
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(string(owned)),
	}})
}

// birthManager is the field manager of the objects at birth.
const birthManager = "cluster-bootstrap"

// fieldsOf returns the set of an object's fields in the form of managed fields, with lists as a whole.
func fieldsOf(object map[string]any, except ...string) map[string]any {
	set := map[string]any{}
	for name, value := range object {
		if slices.Contains(except, name) {
			continue
		}
		inner, _ := value.(map[string]any)
		set["f:"+name] = fieldsOf(inner)
	}
	return set
}

func newUID() types.UID { return types.UID(uuid.NewString()) }
