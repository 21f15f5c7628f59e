package creation

import (
	"cmp"
	"context"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster/follow"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/hostedcluster/services"
	"github.com/hcctl/hcctl/pkg/hostedcluster/update"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// ObjectsGroup is the group of the steps of a Plan that write objects. The other steps only wait.
const ObjectsGroup = "objects"

// The IDs of the steps that write objects.
const (
	nameStep          step.ID = "objects/name"
	namespaceStep     step.ID = "objects/namespace"
	pullSecretStep    step.ID = "objects/pull-secret"
	sshKeyStep        step.ID = "objects/ssh-key"
	addressPoolStep   step.ID = "objects/address-pool"
	adoptedStep       step.ID = "objects/adopted-namespace"
	encryptionKeyStep step.ID = "objects/etcd-encryption-key"
	hostedClusterStep step.ID = "objects/hosted-cluster"
	marksStep         step.ID = "objects/marks"
	nodePoolStep      step.ID = "objects/node-pool"
)

// Steps returns the steps that create missing objects, and then wait for the cluster as far as Options.Wait says.
// Existing objects are not changed, except by Adjust and KeepPatches: a difference in an immutable field is an error,
// other differences are reported.
func (p *Plan) Steps() []step.Step {
	o, in := p.Options, p.Inputs
	if p.cache == nil {
		p.cache = &metadataCache{}
	}
	steps, before := p.companionSteps()
	if o.MetalLBPool != "" {
		s := p.bindPoolStep()
		steps, before = append(steps, s), append(before, s.ID)
	}
	if p.adopted != nil {
		s := p.adoptNamespaceStep()
		steps, before = append(steps, s), append(before, s.ID)
	}
	check, apply := p.checkAndPatch(p.patchableCluster(), p.checkHostedCluster, p.createStrictly(p.hostedCluster))
	steps = append(steps, step.Step{
		ID:      hostedClusterStep,
		Title:   "HostedCluster " + o.Name,
		Group:   ObjectsGroup,
		Needs:   before,
		Check:   p.client.Reading(check),
		Apply:   apply,
		Attempt: p.attempt(p.hostedCluster, p.writeStrictly),
	})
	for i, pool := range o.NodePools {
		made := func() client.Object { return objects.NodePool(p.Options, pool, p.Inputs) }
		check, apply := p.checkAndAdjust(objects.TypedNodePool(o, pool, in), made, p.Adjust[i])
		check, apply = p.checkAndPatch(p.patchablePool(pool), check, apply)
		steps = append(steps, step.Step{
			ID:      p.poolStep(pool),
			Title:   "NodePool " + pool.Name,
			Group:   ObjectsGroup,
			Needs:   []step.ID{hostedClusterStep},
			Check:   p.client.Reading(check),
			Apply:   apply,
			Attempt: p.attempt(made, p.writeStrictly),
		})
	}
	steps = append(steps, p.markStep())
	written := []step.ID{hostedClusterStep}
	steps = append(steps, p.ownerLimitSteps(written)...)
	var pools []string
	for _, pool := range o.NodePools {
		written, pools = append(written, p.poolStep(pool)), append(pools, pool.Name)
	}
	steps = append(steps, p.roomSteps(written)...)
	p.follow = follow.New(p.client, o.Namespace, o.Name, pools...)
	p.follow.StableFor = o.StableFor
	if o.InfraNamespace == "" { // a Service sends to pods of its own cluster only
		p.follow.CreateIngress(o.Ingress, in.ReleaseVersion, o.BaseDomain)
	}
	return append(steps, p.milestones(written)...)
}

// milestones returns the steps that wait for the cluster and create its services on the way. A cluster with services is
// followed until its API server answers, even if Wait is none.
func (p *Plan) milestones(written []step.ID) []step.Step {
	until := p.Options.Wait
	if until == options.WaitNone && len(services.Asked(p.Options)) > 0 {
		until = options.WaitAPI
	}
	return services.Among(p.client, p.Options, services.Milestones{
		Steps: p.follow.Steps(until, written...), API: follow.APIStep, Written: written,
		Reading:   p.follow.Reading,
		WriteOnly: until == options.WaitNone || until == options.WaitAPI,
	})
}

// Seen returns the HostedCluster as the steps read it last (follow.Cluster.Seen), nil if they have not.
func (p *Plan) Seen() *hyperv1.HostedCluster {
	if p.follow == nil {
		return nil
	}
	return p.follow.Seen()
}

// hostedCluster returns the HostedCluster to write.
func (p *Plan) hostedCluster() client.Object { return objects.HostedCluster(p.Options, p.Inputs) }

// create returns an apply that creates the object if it does not exist.
func (p *Plan) create(made func() client.Object) func(context.Context) (step.Change, error) {
	return p.createBy(made, p.write)
}

// createBy is create with another write function.
func (p *Plan) createBy(made func() client.Object,
	write func(context.Context, func() client.Object) error) func(context.Context) (step.Change, error) {
	return func(ctx context.Context) (step.Change, error) {
		err := write(ctx, made)
		switch {
		case apierrors.IsAlreadyExists(err):
			return step.Unchanged, nil
		case err != nil:
			return "", err
		}
		return step.Created, nil
	}
}

// write creates an object, as CreateNew does.
func (p *Plan) write(ctx context.Context, made func() client.Object) error {
	obj := made()
	gvk := obj.GetObjectKind().GroupVersionKind()
	err := p.client.CreateNew(ctx, obj)
	if err == nil {
		p.cache.store(gvk, obj)
	}
	return err
}

// attempt returns an Attempt that writes an object of a new cluster without a check before. It returns nil if the
// cluster exists, because its objects probably exist then too.
func (p *Plan) attempt(made func() client.Object,
	write func(context.Context, func() client.Object) error) func(context.Context) (step.Change, step.Finding) {
	if !p.fresh {
		return nil
	}
	return func(ctx context.Context) (step.Change, step.Finding) {
		obj := made()
		kind := obj.GetObjectKind().GroupVersionKind().Kind
		if err := write(ctx, made); err != nil {
			return "", kube.Unknown(err).On("%s %s", kind, kube.Name(obj))
		}
		return step.Created, step.OK("exists").On("%s %s", kind, kube.Name(obj))
	}
}

func (p *Plan) checkHostedCluster(ctx context.Context, r kube.Reader) step.Finding {
	hc := &hyperv1.HostedCluster{}
	err := r.Get(ctx, p.key(), hc)
	switch {
	case apierrors.IsNotFound(err):
		return step.Missing("does not exist; its release will be %s (%s)", p.Inputs.ReleaseImage, p.Inputs.ReleaseFrom).On(
			"HostedCluster %s", p.key())
	case err != nil:
		return kube.Unknown(err).On("HostedCluster %s", p.key())
	case hc.DeletionTimestamp != nil:
		return step.Broken("being deleted").On("HostedCluster %s", p.key()).
			WithHint("wait until it is gone: %s", hint.Run("delete cluster", hc.Name).Flag("namespace", hc.Namespace))
	}
	fixed, differ, err := p.clusterDiffers(ctx, r, hc)
	if err != nil {
		return kube.Unknown(err).On("HostedCluster %s", p.key())
	}
	return withCommands(objects.Existing("HostedCluster "+kube.Name(hc), fixed, differ),
		update.ClusterCommands(hc.Namespace, hc.Name, wanted(differ)))
}

// clusterDiffers returns the differences of an existing HostedCluster from the options: immutable fields, and the
// others.
func (p *Plan) clusterDiffers(ctx context.Context, r kube.Reader,
	hc *hyperv1.HostedCluster) (fixed, differ []objects.Difference, err error) {
	in := p.Inputs
	in.InfraID = cmp.Or(p.Options.InfraID, hc.Spec.InfraID)
	have := client.Object(hc)
	if len(objects.NewerFields(p.Options)) > 0 {
		whole := &unstructured.Unstructured{}
		whole.SetGroupVersionKind(hyperv1.GroupVersion.WithKind("HostedCluster"))
		if err := r.Get(ctx, p.key(), whole); err != nil {
			return nil, nil, err
		}
		have = whole
	}
	return objects.FixedInHostedCluster(have, objects.HostedCluster(p.Options, in)),
		objects.ChangeableInHostedCluster(hc, p.Options), nil
}

// poolStep returns the ID of the step that writes a pool. The ID of the pool with the cluster's name has no suffix.
func (p *Plan) poolStep(pool options.ValidatedPool) step.ID {
	if name := pool.Name; name != p.Options.Name {
		return nodePoolStep + "-" + step.ID(name)
	}
	return nodePoolStep
}

// checkNodePool returns the check that a NodePool exists and has the requested immutable fields.
func (p *Plan) checkNodePool(want *hyperv1.NodePool) kube.Check {
	return func(ctx context.Context, r kube.Reader) step.Finding {
		np, key := &hyperv1.NodePool{}, client.ObjectKeyFromObject(want)
		err := r.Get(ctx, key, np)
		switch {
		case apierrors.IsNotFound(err):
			return step.Missing("does not exist").On("NodePool %s", key)
		case err != nil:
			return kube.Unknown(err).On("NodePool %s", key)
		case np.DeletionTimestamp != nil:
			return step.Broken("being deleted").On("NodePool %s", key).WithHint("wait until it is gone, then create it again")
		}
		differ := objects.ChangeableInNodePool(np, want)
		f := objects.Existing("NodePool "+kube.Name(np), objects.FixedInNodePool(np, want), differ)
		return withCommands(f, update.PoolCommands(np.Namespace, np.Name, wanted(p.withoutDefaults(np, differ))))
	}
}

// key returns the namespace and name of the HostedCluster.
func (p *Plan) key() client.ObjectKey {
	return client.ObjectKey{Namespace: p.Options.Namespace, Name: p.Options.Name}
}

// GuardedFromCleanup reports whether a failed create must not delete the hosted cluster, by its report: the cluster
// existed before and has a kubeconfig, so it may be in use.
func GuardedFromCleanup(r step.Report, hc *hyperv1.HostedCluster) bool {
	return !CreatedBy(r) && hc.Status.KubeConfig != nil
}

// CreatedBy reports whether a create has written the HostedCluster, by its report.
func CreatedBy(r step.Report) bool {
	written, _ := r.Get(hostedClusterStep)
	return written.Change == step.Created
}
