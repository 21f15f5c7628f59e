package hostedcluster

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
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
	encryptionKeyStep step.ID = "objects/etcd-encryption-key"
	hostedClusterStep step.ID = "objects/hosted-cluster"
	nodePoolStep      step.ID = "objects/node-pool"
)

// Steps write the objects that are absent, and then follow the cluster as far as Options.Wait says. What exists is never
// changed: a difference in a field that cannot be changed any more is an error that names it, any other difference is told.
func (p *Plan) Steps() []step.Step {
	o, in := p.Options, p.Inputs
	secrets := []step.ID{pullSecretStep, encryptionKeyStep}
	steps := []step.Step{
		{ID: nameStep, Title: "name is free", Group: ObjectsGroup, Check: p.nameFree},
		{
			ID: namespaceStep, Title: "namespace " + o.Namespace, Group: ObjectsGroup, Needs: []step.ID{nameStep},
			Check: p.namespaceThere, Apply: p.create(namespaceOf(o)),
		},
		p.secretStep(pullSecretStep, "pull secret", pullSecretOf(o, in)),
		p.secretStep(encryptionKeyStep, "etcd encryption key", encryptionKeyOf(o, in)),
	}
	if len(o.SSHKey) > 0 {
		steps = append(steps, p.secretStep(sshKeyStep, "SSH key", sshKeyOf(o, in)))
		secrets = append(secrets, sshKeyStep)
	}
	hc, np := hostedClusterOf(o, in), nodePoolOf(o, in)
	steps = append(steps,
		step.Step{
			ID: hostedClusterStep, Title: "HostedCluster " + o.Name, Group: ObjectsGroup, Needs: secrets,
			Check: p.hostedClusterThere, Apply: p.create(hc),
		},
		step.Step{
			ID: nodePoolStep, Title: "NodePool " + o.Name, Group: ObjectsGroup, Needs: []step.ID{hostedClusterStep},
			Check: p.nodePoolThere, Apply: p.create(np),
		})
	return append(steps, p.milestones()...)
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

func (p *Plan) secretStep(id step.ID, title string, want *corev1.Secret) step.Step {
	return step.Step{
		ID: id, Title: title, Group: ObjectsGroup, Needs: []step.ID{namespaceStep},
		Check: func(ctx context.Context) step.Finding { return p.secretThere(ctx, want) },
		Apply: p.create(want),
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

// secretThere holds for any Secret of that name with that key; what is in it is its owner's affair.
func (p *Plan) secretThere(ctx context.Context, want *corev1.Secret) step.Finding {
	have := &corev1.Secret{}
	err := p.client.Get(ctx, client.ObjectKeyFromObject(want), have)
	switch {
	case apierrors.IsNotFound(err):
		return step.NotThere("does not exist").On("Secret %s", kube.Name(want))
	case err != nil:
		return kube.Unread(err).On("Secret %s", kube.Name(want))
	case have.DeletionTimestamp != nil:
		return step.Waiting("still being deleted").On("Secret %s", kube.Name(want))
	}
	for key, content := range want.Data {
		switch got := have.Data[key]; {
		case len(got) == 0:
			return step.Stuck("exists, but has no key %q", key).On("Secret %s", kube.Name(want)).
				WithHint("it was not made by hcctl: delete or complete it")
		case want.Name == encryptionKeyName(p.Options.Name):
			if len(got) != encryptionKeyLength {
				return step.Stuck("exists, but its key %q has %d bytes instead of %d", key, len(got), encryptionKeyLength).On("Secret %s", kube.Name(want))
			}
		case string(got) != string(content):
			return step.Okay("exists with another content, which is left as it is").On("Secret %s", kube.Name(want))
		}
	}
	return step.Okay("exists").On("Secret %s", kube.Name(want))
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
	return standing("HostedCluster "+kube.Name(hc), fixedOfHostedCluster(hc, want), changeableOfHostedCluster(hc, p.Options))
}

func (p *Plan) nodePoolThere(ctx context.Context) step.Finding {
	np := &hyperv1.NodePool{}
	err := p.client.Get(ctx, p.key(), np)
	switch {
	case apierrors.IsNotFound(err):
		return step.NotThere("does not exist").On("NodePool %s", p.key())
	case err != nil:
		return kube.Unread(err).On("NodePool %s", p.key())
	case np.DeletionTimestamp != nil:
		return step.Stuck("being deleted").On("NodePool %s", p.key()).WithHint("wait until it is gone, then create it again")
	}
	want := nodePoolOf(p.Options, p.Inputs)
	return standing("NodePool "+kube.Name(np), fixedOfNodePool(np, want), changeableOfNodePool(np, want))
}
