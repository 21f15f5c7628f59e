// Package hypershift simulates the HyperShift operator on the KubeVirt platform, and everything that this operator
// starts for a hosted cluster: the control plane operator, the config operator inside the guest, Cluster API and its
// KubeVirt provider. Its condition types, reasons and messages were recorded from the vendor's own operators or read in
// their source (github.com/openshift/hypershift v0.1.80).
//
// The files called messages.go have the messages: "recorded" means from a recorded run, "source" means from the source,
// "made up" means neither.
//
// Real: every object that it writes, the Deployments and the StatefulSet, whose pods real controllers create and a real
// scheduler places, the health check of the API endpoint, and the guest's kube-apiserver. Simulated: images, the inside
// of every pod, the cluster version operator, and the machines' first boot.
//
// The multicluster-engine version decides which webhooks run (directory webhook). Without the defaulting webhook, the
// CRD itself refuses a HostedCluster without a release image.
package hypershift

import (
	"context"
	"fmt"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/types"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/crds"
	"github.com/hcctl/hcctl/sandbox/hypershift/controlplane"
	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/hostedcluster"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/clusterapi"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/metadata"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/workload"
	"github.com/hcctl/hcctl/sandbox/hypershift/kubevirtcsi"
	"github.com/hcctl/hcctl/sandbox/hypershift/nodepool"
	"github.com/hcctl/hcctl/sandbox/hypershift/webhook"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/profile"
)

// DefaultMaxGuests is the default number of hosted clusters with a real kube-apiserver. A guest takes about 250 MB.
const DefaultMaxGuests = 3

// Option changes what Operator simulates.
type Option func(*options)

type options struct {
	maxGuests int
	lean      bool
	fleet     bool
}

// WithMaxGuests sets how many hosted clusters have a real kube-apiserver at the same time; 0 starts none. The others
// are simulated in memory: their status is complete, but nothing answers at the address in their kubeconfig.
func WithMaxGuests(n int) Option { return func(o *options) { o.maxGuests = n } }

// Lean keeps the pods of etcd, kube-apiserver and control-plane-operator only. The address of a guest in memory answers
// health checks and nothing else.
func Lean() Option { return func(o *options) { o.lean = true } }

// Fleet is Lean with one pod of each, also where a control plane is to be highly available.
func Fleet() Option { return func(o *options) { o.lean, o.fleet = true, true } }

// Operator is the simulated HyperShift operator. It runs while Deployment hypershift/operator is Available; as with the
// real operator, the guests' API servers keep running without it.
func Operator(opts ...Option) operator.Operator {
	o := options{maxGuests: DefaultMaxGuests}
	for _, opt := range opts {
		opt(&o)
	}
	servers := guest.NewServers(o.maxGuests)
	servers.HealthEndpoints = o.lean
	return operator.Operator{
		Name:       "hypershift-operator",
		Deployment: types.NamespacedName{Namespace: metadata.OperatorNamespace, Name: "operator"},
		Setup: func(ctx context.Context, mgr ctrl.Manager, env operator.Env) error {
			return setup(ctx, mgr, env, servers, o)
		},
	}
}

func setup(ctx context.Context, mgr ctrl.Manager, env operator.Env, servers *guest.Servers, o options) error {
	gen, err := reconciler.InstalledFeatures(ctx, env)
	if err != nil {
		return err
	}
	if err := workload.EnsurePriorityClasses(ctx, env.Client); err != nil {
		return fmt.Errorf("create the priority classes of hosted control planes: %w", err)
	}
	servers.SetAPIServers(env.APIServers)
	b := reconciler.Base{Env: env, Cached: mgr.GetClient(), Features: gen, Lean: o.lean, Fleet: o.fleet,
		Stages: reconciler.NewStages(env.Pace), Guests: servers,
		ClusterAPI: &clusterapi.Writer{Live: env.Client, Cached: mgr.GetClient()}}
	sets := []string{crds.OfHyperShift(gen.HyperShift)} // a recording can have those of another version
	if !o.lean {
		sets = append(sets, crds.Monitoring)
	}
	if err := installKinds(ctx, env, sets); err != nil {
		return err
	}
	if err := webhook.WriteAdmissionPolicies(ctx, b); err != nil {
		return err
	}
	if gen.HyperShift == profile.NewestHyperShift {
		if err := leavePrivateRoutes(ctx, env.Live); err != nil {
			return err
		}
	}
	if err := webhook.Serve(mgr, b); err != nil {
		return err
	}
	if gen.Has(reconciler.Components) {
		// No controller watches them, and each reconcile of a control plane reads all.
		if _, err := mgr.GetCache().GetInformer(ctx, &hyperv1.ControlPlaneComponent{},
			cache.BlockUntilSynced(false)); err != nil {
			return fmt.Errorf("cache ControlPlaneComponents: %w", err)
		}
	}
	for _, add := range []func(ctrl.Manager, reconciler.Base) error{
		hostedcluster.Setup, controlplane.Setup, nodepool.Setup, kubevirtcsi.Setup,
	} {
		if err := add(mgr, b); err != nil {
			return err
		}
	}
	return nil
}

// installKinds installs the operator's own kinds, and the monitoring kinds, which an OpenShift has from its birth.
func installKinds(ctx context.Context, env operator.Env, sets []string) error {
	c, err := client.NewWithWatch(env.Config, client.Options{Scheme: env.Scheme})
	if err != nil {
		return fmt.Errorf("reach the API server: %w", err)
	}
	if err := crds.Install(ctx, c, env.Profile.Minor(), sets...); err != nil {
		return fmt.Errorf("install the kinds of hosted clusters: %w", err)
	}
	return nil
}
