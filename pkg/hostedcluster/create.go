package hostedcluster

import (
	"context"
	"fmt"
	"net"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// ObjectsGroup is the group of the steps of a Plan that write objects; the others only wait.
const ObjectsGroup = "objects"

// The IDs of the steps that write objects.
const (
	nameStep          step.ID = "objects/name"
	namespaceStep     step.ID = "objects/namespace"
	pullSecretStep    step.ID = "objects/pull-secret"
	sshKeyStep        step.ID = "objects/ssh-key"
	addressPoolStep   step.ID = "objects/address-pool"
	encryptionKeyStep step.ID = "objects/etcd-encryption-key"
	hostedClusterStep step.ID = "objects/hosted-cluster"
	nodePoolStep      step.ID = "objects/node-pool"
)

// Steps write the objects that are absent, and then follow the cluster as far as Options.Wait says. What exists is never
// changed, beyond what Adjust says: a difference in a field that cannot be changed any more is an error that names it, any other
// difference is told.
func (p *Plan) Steps() []step.Step {
	o, in := p.Options, p.Inputs
	steps := []step.Step{
		{ID: nameStep, Title: "name is free", Group: ObjectsGroup, Check: p.nameFree},
		{
			ID: namespaceStep, Title: "namespace " + o.Namespace, Group: ObjectsGroup, Needs: []step.ID{nameStep},
			Check: p.namespaceThere, Apply: p.create(namespaceOf(o)),
		},
	}
	var before []step.ID
	for _, obj := range companionsOf(o, in) {
		s := p.companionStep(obj)
		steps, before = append(steps, s), append(before, s.ID)
	}
	if o.MetalLBPool != "" {
		s := p.poolOfAddresses()
		steps, before = append(steps, s), append(before, s.ID)
	}
	steps = append(steps, step.Step{
		ID: hostedClusterStep, Title: "HostedCluster " + o.Name, Group: ObjectsGroup, Needs: before,
		Check: p.hostedClusterThere, Apply: p.createStrictly(hostedClusterObject(o, in), usualFields()),
	})
	for i, pool := range o.NodePools {
		want := nodePoolOf(o, pool, in)
		s := step.Step{ID: p.poolStep(pool), Title: "NodePool " + want.Name, Group: ObjectsGroup, Needs: []step.ID{hostedClusterStep}}
		s.Check, s.Apply = p.adjusted(want, p.Adjust[i])
		steps = append(steps, s)
	}
	written := []step.ID{hostedClusterStep}
	var pools []string
	for _, pool := range o.NodePools {
		written, pools = append(written, p.poolStep(pool)), append(pools, o.poolName(pool))
	}
	follow := Follow(p.client, o.Namespace, o.Name, pools...)
	if o.InfraNamespace == "" { // a Service sends to pods of its own cluster only
		follow.ingress = &ingress{mode: IngressMode(o.Ingress), version: in.ReleaseVersion, baseDomain: o.BaseDomain, resolve: net.DefaultResolver.LookupHost}
	}
	return append(steps, follow.Steps(o.Wait, written...)...)
}

// create makes the object unless there is one of its name.
func (p *Plan) create(obj client.Object) func(context.Context) (step.Change, error) {
	return func(ctx context.Context) (step.Change, error) {
		fresh, ok := obj.DeepCopyObject().(client.Object)
		if !ok {
			return "", fmt.Errorf("%s: not an object", kube.Name(obj))
		}
		return p.client.CreateOnce(ctx, fresh)
	}
}

// nameFree holds where the HostedCluster exists already, or nothing else stands where its parts will be.
func (p *Plan) nameFree(ctx context.Context) step.Finding {
	o := p.Options
	err := p.client.Get(ctx, p.key(), &hyperv1.HostedCluster{})
	if err == nil {
		return step.Okay("the HostedCluster exists").On("HostedCluster %s", p.key())
	}
	if !apierrors.IsNotFound(err) {
		return kube.Unread(err).On("HostedCluster %s", p.key())
	}
	for _, other := range []struct {
		obj              client.Object
		kind, name, role string
	}{
		{&clusterv1.ManagedCluster{}, "ManagedCluster", o.Name, "the ManagedCluster it is imported as"},
		{&corev1.Namespace{}, "Namespace", ControlPlaneNamespace(o.Namespace, o.Name), "its control plane's namespace"},
		{&corev1.Namespace{}, "Namespace", o.Name, "the namespace of the ManagedCluster it is imported as"},
	} {
		if f := p.absent(ctx, other.obj, other.kind, other.name, other.role); f.State != step.OK {
			return f
		}
	}
	return step.Okay("nothing of that name is in the way")
}

// absent waits for an object that is being deleted and gives up on one that is not: it is not ours.
func (p *Plan) absent(ctx context.Context, obj client.Object, kind, name, role string) step.Finding {
	err := p.client.Get(ctx, client.ObjectKey{Name: name}, obj)
	switch {
	case apierrors.IsNotFound(err):
		return step.Okay("absent")
	case err != nil:
		return kube.Unread(err).On("%s %s", kind, name)
	case obj.GetDeletionTimestamp() != nil:
		return step.Waiting("left from an earlier cluster of that name and still being deleted").On("%s %s", kind, name)
	}
	return step.Stuck("exists already; %s would have that name", role).On("%s %s", kind, name).
		WithHint("choose another --name, or, if it is left from an earlier cluster: hcctl delete cluster %s --namespace %s", p.Options.Name, p.Options.Namespace)
}

func (p *Plan) namespaceThere(ctx context.Context) step.Finding {
	ns := &corev1.Namespace{}
	err := p.client.Get(ctx, client.ObjectKey{Name: p.Options.Namespace}, ns)
	switch {
	case apierrors.IsNotFound(err):
		return step.NotThere("does not exist").On("Namespace %s", p.Options.Namespace)
	case err != nil:
		return kube.Unread(err).On("Namespace %s", p.Options.Namespace)
	case ns.DeletionTimestamp != nil:
		return step.Waiting("still being deleted").On("Namespace %s", ns.Name)
	}
	return step.Okay("exists").On("Namespace %s", ns.Name)
}

func (p *Plan) hostedClusterThere(ctx context.Context) step.Finding {
	hc := &hyperv1.HostedCluster{}
	err := p.client.Get(ctx, p.key(), hc)
	switch {
	case apierrors.IsNotFound(err):
		return step.NotThere("does not exist; its release will be %s (%s)", p.Inputs.ReleaseImage, p.Inputs.ReleaseFrom).On("HostedCluster %s", p.key())
	case err != nil:
		return kube.Unread(err).On("HostedCluster %s", p.key())
	case hc.DeletionTimestamp != nil:
		return step.Stuck("being deleted").On("HostedCluster %s", p.key()).
			WithHint("wait until it is gone: hcctl delete cluster %s --namespace %s", hc.Name, hc.Namespace)
	}
	want := hostedClusterOf(p.Options, p.Inputs)
	want.Spec.InfraID = orDefault(p.Options.InfraID, hc.Spec.InfraID)
	fixed := fixedOfHostedCluster(hc, want)
	if len(newerFields(p.Options)) > 0 {
		whole := &unstructured.Unstructured{}
		whole.SetGroupVersionKind(hyperv1.GroupVersion.WithKind("HostedCluster"))
		if err := p.client.Get(ctx, p.key(), whole); err != nil {
			return kube.Unread(err).On("HostedCluster %s", p.key())
		}
		fixed = append(fixed, newerFixed(whole, p.Options)...)
	}
	return standing("HostedCluster "+kube.Name(hc), fixed, changeableOfHostedCluster(hc, p.Options))
}

// poolStep is the step that writes a pool; that of the pool named as the cluster has no name in it.
func (p *Plan) poolStep(pool NodePoolOptions) step.ID {
	if name := p.Options.poolName(pool); name != p.Options.Name {
		return nodePoolStep + "-" + step.ID(name)
	}
	return nodePoolStep
}

func (p *Plan) nodePoolThere(ctx context.Context, want *hyperv1.NodePool) step.Finding {
	np, key := &hyperv1.NodePool{}, client.ObjectKeyFromObject(want)
	err := p.client.Get(ctx, key, np)
	switch {
	case apierrors.IsNotFound(err):
		return step.NotThere("does not exist").On("NodePool %s", key)
	case err != nil:
		return kube.Unread(err).On("NodePool %s", key)
	case np.DeletionTimestamp != nil:
		return step.Stuck("being deleted").On("NodePool %s", key).WithHint("wait until it is gone, then create it again")
	}
	return standing("NodePool "+kube.Name(np), fixedOfNodePool(np, want), changeableOfNodePool(np, want))
}

// key is that of the HostedCluster.
func (p *Plan) key() client.ObjectKey {
	return client.ObjectKey{Namespace: p.Options.Namespace, Name: p.Options.Name}
}
