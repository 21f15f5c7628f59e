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

// seen is the result of reading one object.
type seen struct {
	// on names the object in a finding. there reports whether it exists.
	on    string
	there bool
	// unread is the finding if the object cannot be read or used, nil otherwise.
	unread *step.Finding
}

// exists is OK if the object exists.
func (s seen) exists() step.Finding {
	switch {
	case s.unread != nil:
		return *s.unread
	case !s.there:
		return step.Missing("does not exist").On("%s", s.on)
	}
	return step.OK("exists").On("%s", s.on)
}

// look reads an object.
func look(ctx context.Context, r kube.Reader, kind string, key client.ObjectKey, o client.Object) seen {
	s := seen{on: kind + " " + key.Namespace + "/" + key.Name}
	if key.Namespace == "" {
		s.on = kind + " " + key.Name
	}
	err := r.Get(ctx, key, o)
	if err != nil && !apierrors.IsNotFound(err) {
		f := kube.Unknown(err).On("%s", s.on)
		s.unread = &f
	}
	s.there = err == nil
	return s
}

// inPlane reads an object in the control plane namespace.
func (p *Plan) inPlane(ctx context.Context, r kube.Reader, kind, name string, o client.Object) seen {
	return look(ctx, r, kind, client.ObjectKey{Namespace: p.plane(), Name: name}, o)
}

// key returns the namespace and name of the HostedCluster.
func (p *Plan) key() types.NamespacedName {
	return types.NamespacedName{Namespace: p.content.Manifest.Namespace, Name: p.content.Manifest.Name}
}

// cluster reads the HostedCluster. If it does not exist, the result has a finding, because no step works without it.
func (p *Plan) cluster(ctx context.Context, r kube.Reader) (*hyperv1.HostedCluster, seen) {
	hc := &hyperv1.HostedCluster{}
	s := look(ctx, r, hostedcluster.HostedClusterKind, p.key(), hc)
	if f := s.exists(); f.State != step.StateOK {
		s.unread = &f
	}
	return hc, s
}
