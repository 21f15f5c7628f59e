package mce

import (
	"context"
	"errors"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// webhooks are those of backplane-operator for its own kind.
func (m *engine) webhooks() framework.Webhooks {
	return framework.Webhooks{
		Name: "multiclusterengines.multicluster.openshift.io", Namespace: Namespace,
		CRD:        "multiclusterengines.multicluster.openshift.io",
		RefusesFor: m.Faults.DurationOf(fault.WebhookRefuses, 0),
		Rules: []framework.WebhookRule{{
			Name: "multiclusterengines.multicluster.openshift.io", Group: Kind.Group, Version: Kind.Version,
			Resource: "multiclusterengines",
			Operations: []admissionregistrationv1.OperationType{
				admissionregistrationv1.Create, admissionregistrationv1.Update, admissionregistrationv1.Delete},
			Review: m.validate,
		}},
	}
}

func (m *engine) validate(ctx context.Context, req admission.Request) error {
	if req.Operation == admissionv1.Delete {
		return m.validateDelete(ctx, req.Name)
	}
	o := &unstructured.Unstructured{}
	if err := o.UnmarshalJSON(req.Object.Raw); err != nil {
		return err
	}
	if o.GetDeletionTimestamp() != nil {
		return nil
	}
	if c := framework.Text(o, "spec", "availabilityConfig"); c != "" && c != "High" && c != "Basic" {
		return errors.New("invalid AvailabilityConfig")
	}
	var components []Component
	if _, err := framework.Read(o, &components, "spec", "overrides", "components"); err != nil {
		return err
	}
	for _, c := range components {
		if !known(m.channel(), c.Name) {
			return fmt.Errorf("invalid component config: %s is not a known component", c.Name)
		}
	}
	if hosting, other := exclusive(m.channel(), components); other != "" {
		return fmt.Errorf("component exclusivity violation: %s and %s can't both be enabled", hosting, other)
	}
	if req.Operation == admissionv1.Create {
		return m.validateCreate(ctx)
	}
	old := &unstructured.Unstructured{}
	if err := old.UnmarshalJSON(req.OldObject.Raw); err != nil {
		return err
	}
	if before := framework.Text(old, "spec", "targetNamespace"); before != "" &&
		before != framework.Text(o, "spec", "targetNamespace") {
		return errors.New("changes cannot be made to target namespace")
	}
	if before := framework.Text(old, "spec", "localClusterName"); before != "" &&
		before != framework.Text(o, "spec", "localClusterName") {
		return m.validateRename(ctx)
	}
	return nil
}

func (m *engine) validateCreate(ctx context.Context) error {
	list := framework.UnstructuredList(Kind)()
	if err := m.Live.List(ctx, list); err != nil {
		return fmt.Errorf("unable to list MultiClusterEngines: %w", err)
	}
	for _, other := range framework.Items(list) {
		// The message of later versions; 2.0 said "only 1 backplaneconfig resource may exist".
		return fmt.Errorf("MultiClusterEngine in Standalone mode already exists: `%s`. Only one resource may exist in "+
			"Standalone mode", other.GetName())
	}
	return nil
}

// validateRename keeps the name fixed while a ManagedCluster has the label local-cluster=true.
func (m *engine) validateRename(ctx context.Context) error {
	clusters, err := m.managed(ctx)
	if err != nil {
		return err
	}
	for _, c := range clusters {
		if c.Labels["local-cluster"] == "true" {
			return errors.New("cannot update Spec.LocalClusterName while local-cluster is enabled")
		}
	}
	return nil
}

// validateDelete keeps the engine while there are other ManagedClusters than this cluster's own, which versions before
// 2.9 know by its name.
func (m *engine) validateDelete(ctx context.Context, name string) error {
	clusters, err := m.managed(ctx)
	if err != nil {
		return err
	}
	for _, c := range clusters {
		own := c.Labels["local-cluster"] == "true"
		if !framework.AtLeast(m.channel().Version, "2.9") {
			own = c.Name == "local-cluster"
		}
		if !own {
			return held(name, "ManagedCluster")
		}
	}
	for _, kind := range m.holding() {
		list := framework.UnstructuredList(kind)()
		err := m.Live.List(ctx, list)
		switch {
		case framework.IsGone(err):
		case err != nil:
			return fmt.Errorf("unable to list %s: %w", kind.Kind, err)
		case len(framework.Items(list)) > 0:
			return held(name, kind.Kind)
		}
	}
	return nil
}

func held(name, kind string) error {
	return fmt.Errorf("cannot delete %s resource. Existing %s resources must first be deleted", name, kind)
}

// holding are the kinds whose objects keep the engine (backplane-operator 2.2 to 5.1, blockDeletionResources).
func (m *engine) holding() []schema.GroupVersionKind {
	kinds := []schema.GroupVersionKind{{Group: "agent-install.openshift.io", Version: "v1beta1",
		Kind: "AgentServiceConfig"}}
	if framework.AtLeast(m.channel().Version, "2.11") {
		kinds = append(kinds, schema.GroupVersionKind{Group: "hive.openshift.io", Version: "v1", Kind: "ClusterPool"})
	}
	return append(kinds, schema.GroupVersionKind{Group: "discovery.open-cluster-management.io", Version: "v1",
		Kind: "DiscoveryConfig"})
}

// managed returns the ManagedClusters; none while the kind is not served.
func (m *engine) managed(ctx context.Context) ([]clusterv1.ManagedCluster, error) {
	list := &clusterv1.ManagedClusterList{}
	if err := m.Live.List(ctx, list); err != nil && !framework.IsGone(err) {
		return nil, fmt.Errorf("unable to list ManagedCluster: %w", err)
	}
	return list.Items, nil
}
