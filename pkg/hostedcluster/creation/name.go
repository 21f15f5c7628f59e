package creation

import (
	"context"
	"fmt"
	"strings"
	"sync"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// LookAhead starts to read the objects that the first steps need, if the run shares its reads. The returned function
// waits for the end of the reads.
func (p *Plan) LookAhead(ctx context.Context, reads step.Reads) func() {
	if p.exists || p.unchecked {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.checkNameFree(ctx, p.client.Reader(reads))
	}()
	return func() { <-done }
}

// checkNameFree is OK if no object has a name that parts of the new cluster will get, or if the HostedCluster exists
// and owns them.
func (p *Plan) checkNameFree(ctx context.Context, r kube.Reader) step.Finding {
	o := p.Options
	exists := step.OK("the HostedCluster exists").On("HostedCluster %s", p.key())
	if p.exists {
		return exists
	}
	parts := []struct {
		obj              client.Object
		kind, name, role string
	}{
		{&clusterv1.ManagedCluster{}, "ManagedCluster", o.Name, "the ManagedCluster it is imported as"},
		{
			&corev1.Namespace{},
			"Namespace",
			hostedcluster.ControlPlaneNamespace(o.Namespace, o.Name),
			"its control plane's namespace",
		},
		{&corev1.Namespace{}, "Namespace", o.Name, "the namespace of the ManagedCluster it is imported as"},
	}
	found := make([]step.Finding, len(parts))
	var wg sync.WaitGroup
	for i, part := range parts {
		if p.adopted != nil && part.kind == "Namespace" && part.name == p.controlPlane() {
			found[i] = step.OK("is taken over")
			continue
		}
		wg.Go(func() { found[i] = p.checkAbsent(ctx, r, part.obj, part.kind, part.name, part.role) })
	}
	wg.Wait()
	for _, f := range found {
		if f.State == step.StateOK {
			continue
		}
		// It may have been created after Prepare.
		switch err := r.Get(ctx, p.key(), &hyperv1.HostedCluster{}); {
		case err == nil:
			return exists
		case !apierrors.IsNotFound(err):
			return kube.Unknown(err).On("HostedCluster %s", p.key())
		}
		return f
	}
	return step.OK("nothing of that name is in the way")
}

// refuseName fails if the control plane namespace of a new cluster is the services namespace of another one: cluster
// kv-00-services conflicts with the services of kv-00. Only a namespace with that suffix is read.
func (p *Plan) refuseName(ctx context.Context, r kube.Reader) error {
	name := hostedcluster.ControlPlaneNamespace(p.Options.Namespace, p.Options.Name)
	if p.exists || p.unchecked || !strings.HasSuffix(name, hostedcluster.ServicesSuffix) {
		return nil
	}
	ns := &corev1.Namespace{}
	err := r.Get(ctx, client.ObjectKey{Name: name}, ns)
	if of := servicesOf(ns); err == nil && of != "" { // checkNameFree reports errors
		return &options.Error{Field: "name", Value: p.Options.Name, Detail: fmt.Sprintf("its control plane would be in "+
			"Namespace %s, which has the services of HostedCluster %s", name, of),
			Next: hint.New("choose another %s", hint.Flag("name"))}
	}
	return nil
}

// servicesOf returns the HostedCluster of a services namespace; empty for other namespaces.
func servicesOf(ns client.Object) string {
	if ns.GetLabels()[hostedcluster.ServicesLabel] == "" &&
		ns.GetAnnotations()[hostedcluster.ReservedAnnotation] != "true" {
		return ""
	}
	return hostedcluster.MarkOf(ns).Cluster
}

// checkAbsent is Pending for an object that is being deleted, and Broken for any other: it is not this cluster's.
func (p *Plan) checkAbsent(ctx context.Context, r kube.Reader, obj client.Object,
	kind, name, role string) step.Finding {
	err := r.Get(ctx, client.ObjectKey{Name: name}, obj)
	switch {
	case apierrors.IsNotFound(err):
		return step.OK("absent")
	case err != nil:
		return kube.Unknown(err).On("%s %s", kind, name)
	case obj.GetDeletionTimestamp() != nil:
		return step.Pending("left from an earlier cluster of that name and still being deleted").On("%s %s", kind, name)
	}
	if of := servicesOf(obj); of != "" {
		return step.Broken("has the services of HostedCluster %s; %s would have that name", of, role).
			On("%s %s", kind, name).WithHint("choose another %s", hint.Flag("name"))
	}
	f := step.Broken("exists already; %s would have that name", role).On("%s %s", kind, name)
	if _, plane := obj.GetLabels()[hostedcluster.ControlPlaneLabel]; name == p.controlPlane() && !plane {
		return f.WithHint("choose another %s, or, if it has only objects of your own, take it over: %s",
			hint.Flag("name"), hint.Flag(options.AdoptNamespaceFlag))
	}
	return f.
		WithHint("choose another %s, or, if it is left from an earlier cluster: %s", hint.Flag("name"),
			hint.Run("delete cluster", p.Options.Name).Flag("namespace", p.Options.Namespace))
}
