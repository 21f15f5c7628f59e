package restore

import (
	"context"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// readResult is the result of reading one object.
type readResult struct {
	// on names the object in a finding. found reports whether it exists.
	on    string
	found bool
	// finding is the finding if the object cannot be read or used, nil otherwise.
	finding *step.Finding
}

// existsFinding is OK if the object exists.
func (s readResult) existsFinding() step.Finding {
	switch {
	case s.finding != nil:
		return *s.finding
	case !s.found:
		return step.Missing("does not exist").On("%s", s.on)
	}
	return step.OK("exists").On("%s", s.on)
}

// readObject reads an object.
func readObject(ctx context.Context, r kube.Reader, kind string, key client.ObjectKey, o client.Object) readResult {
	s := readResult{on: kind + " " + key.Namespace + "/" + key.Name}
	if key.Namespace == "" {
		s.on = kind + " " + key.Name
	}
	err := r.Get(ctx, key, o)
	if err != nil && !apierrors.IsNotFound(err) {
		f := kube.Unknown(err).On("%s", s.on)
		s.finding = &f
	}
	s.found = err == nil
	return s
}

// readPlaneObject reads an object in the control plane namespace.
func (p *Plan) readPlaneObject(ctx context.Context, r kube.Reader, kind, name string, o client.Object) readResult {
	return readObject(ctx, r, kind, client.ObjectKey{Namespace: p.plane(), Name: name}, o)
}

// key returns the namespace and name of the HostedCluster.
func (p *Plan) key() types.NamespacedName {
	return types.NamespacedName{Namespace: p.content.Manifest.Namespace, Name: p.content.Manifest.Name}
}

// cluster reads the HostedCluster. If it does not exist, the result has a finding, because no step works without it.
func (p *Plan) cluster(ctx context.Context, r kube.Reader) (*hyperv1.HostedCluster, readResult) {
	hc := &hyperv1.HostedCluster{}
	s := readObject(ctx, r, hostedcluster.HostedClusterKind, p.key(), hc)
	if f := s.existsFinding(); f.State != step.StateOK {
		s.finding = &f
	}
	return hc, s
}
