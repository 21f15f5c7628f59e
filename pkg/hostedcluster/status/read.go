package status

import (
	"context"
	"errors"
	"fmt"
	"sync"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	clusterv1 "open-cluster-management.io/api/cluster/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/cause"
	"github.com/hcctl/hcctl/pkg/hostedcluster/conditions"
	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// Of judges one hosted cluster. Reads that are forbidden, or get no answer within the time of ctx (for the hosted API
// server: guest.Timeout), are reported in the part concerned. The error is a *hostedcluster.NotFoundError, a
// *hostedcluster.NotInstalledError, or that of reading the HostedCluster.
//
// Of sends fourteen requests concurrently; one more if the cluster has services outside of it, up to three more if its
// ManagedCluster is not available, one more while the control plane is not available or rolls out a release, and more
// for lists with more pages. To explain parts that are not OK it reads at most cause.MaxReads more lists.
//
// check may check prerequisites of the management cluster. It is called if one of them may be the cause.
func Of(ctx context.Context, r kube.Reader, namespace, name string, check ...Prerequisites) (*Report, error) {
	v := &snapshot{reader: r, checks: check, hyperShift: hyperShiftOperator}
	return v.look(ctx, namespace, name)
}

// look does the work of Of. It does not read the HostedCluster and its NodePools again if the snapshot has them.
func (v *snapshot) look(ctx context.Context, namespace, name string) (*Report, error) {
	r, hc, err := v.reader, v.hc, error(nil)
	inside := client.InNamespace(hostedcluster.ControlPlaneNamespace(namespace, name))
	var wg sync.WaitGroup
	if hc == nil {
		r = kube.ReadAhead(ctx, r, named(&appsv1.Deployment{}, hostedcluster.OperatorNamespace, hyperShiftDeployment),
			named(&corev1.Namespace{}, "", hostedcluster.ServicesNamespace(namespace, name)),
			named(&clusterv1.ManagedCluster{}, "", name),
			guest.AdminSecret(namespace, name))
		wg.Go(func() { v.pools = poolsOf(ctx, r, namespace, name) })
	}
	wg.Go(func() {
		v.pods = pages(ctx, r, &corev1.PodList{}, func(l *corev1.PodList) []corev1.Pod { return l.Items }, inside)
	})
	wg.Go(func() {
		v.deployments = pages(ctx, r, &appsv1.DeploymentList{},
			func(l *appsv1.DeploymentList) []appsv1.Deployment { return l.Items }, inside)
	})
	wg.Go(func() {
		v.statefulSets = pages(ctx, r, &appsv1.StatefulSetList{},
			func(l *appsv1.StatefulSetList) []appsv1.StatefulSet { return l.Items }, inside)
	})
	wg.Go(func() {
		v.vms = pages(ctx, r, &kubevirtv1.VirtualMachineList{},
			func(l *kubevirtv1.VirtualMachineList) []kubevirtv1.VirtualMachine { return l.Items }, inside)
	})
	if hc == nil {
		hc, err = hostedcluster.Find(ctx, r, namespace, name)
	}
	if err == nil {
		v.hc = hc
		if !conditions.OfCluster(hc).Get(string(hyperv1.HostedClusterAvailable)).True() {
			wg.Go(func() {
				v.components = pages(ctx, r, &hyperv1.ControlPlaneComponentList{},
					func(l *hyperv1.ControlPlaneComponentList) []hyperv1.ControlPlaneComponent { return l.Items }, inside)
			})
		}
		if conditions.OfCluster(hc).Get(string(hyperv1.HostedClusterProgressing)).True() {
			wg.Go(func() {
				v.rollout, _ = hostedcluster.ReadControlPlaneVersion(ctx, r, client.ObjectKeyFromObject(hc))
			})
		}
		// Read separately, and only while it reports more than the spec.
		if c := conditions.OfCluster(hc).Get(conditions.EtcdEncryption); c.Status != "" && !c.True() {
			wg.Go(func() { v.encryption, _ = hostedcluster.ReadEncryption(ctx, r, client.ObjectKeyFromObject(hc)) })
		}
		wg.Go(func() { v.operator = v.hyperShift(ctx, r) })
		wg.Go(func() { v.readServices(ctx, r) })
		wg.Go(func() { v.readManaged(ctx, r) })
		if hostedcluster.PlatformOf(hc).Elsewhere() {
			wg.Go(func() { v.infra = readInfraVMs(ctx, r, hc) })
		}
		v.inside(ctx, r)
	}
	wg.Wait()
	v.launchers = v.pods
	if v.infra != nil {
		v.vms, v.launchers = v.infra.vms, v.infra.pods
	}
	v.now = r.Now()
	if err != nil {
		return nil, v.leftovers(namespace, name, err)
	}
	report := v.whole()
	v.explain(ctx, report)
	report.Through = guest.Reached(r, client.ObjectKeyFromObject(hc))
	return report, nil
}

// named sets the namespace and name of an object that is to be read, and returns it.
func named(obj client.Object, namespace, name string) client.Object {
	obj.SetNamespace(namespace)
	obj.SetName(name)
	return obj
}

// hyperShiftDeployment is the name of the Deployment of HyperShift's operator.
const hyperShiftDeployment = "operator"

// hyperShiftOperator judges the Deployment of HyperShift's operator. While that does not run, its reports may be
// outdated.
func hyperShiftOperator(ctx context.Context, r kube.Reader) health.Verdict {
	d := &appsv1.Deployment{}
	key := client.ObjectKey{Namespace: hostedcluster.OperatorNamespace, Name: hyperShiftDeployment}
	if err := r.Get(ctx, key, d); err != nil {
		return health.Verdict{Finding: kube.Unknown(err).On("Deployment %s", key)}
	}
	// During a roll-out of the Deployment its old pods still work; health.ReadyPods would count none.
	if d.Status.AvailableReplicas > 0 {
		return health.Verdict{Finding: step.OK("available")}
	}
	verdict := health.Of(d, r.Now())
	verdict.State = step.StateFailing
	verdict.Message = fmt.Sprintf("HyperShift's operator has 0 of %d pods available: what it reports may be old",
		ptr.Deref(d.Spec.Replicas, 1))
	verdict.Hint = hint.New("oc -n %s get deployment,pods; %s", key.Namespace, hint.Run("check").Flag("only",
		"hypershift"))
	if zero := health.ScaledToZero(d, health.HyperShiftReplicas); zero != nil {
		verdict.Message, verdict.Hint = "HyperShift's operator is scaled to 0: what it reports may be old", zero.Hint
	}
	return verdict
}

// inside reads from the hosted cluster's own API server. If the cluster is being deleted, it also reads what blocks the
// deletion.
func (v *snapshot) inside(ctx context.Context, r kube.Reader) {
	if v.hc.DeletionTimestamp != nil {
		v.blocked = deletion.Blocker(ctx, r, v.hc)
	}
	g, err := guest.Connect(ctx, r, v.hc)
	if err != nil {
		v.nodes.err, v.operators.err = err, err
		return
	}
	ctx, cancel := context.WithTimeout(ctx, guest.Timeout)
	defer cancel()
	var wg sync.WaitGroup
	v.hosted = g
	wg.Go(func() { v.hostedPods.items, v.hostedPods.err = cause.HostedPods(ctx, g) })
	wg.Go(func() { v.requests.items, v.requests.err = cause.Requests(ctx, g) })
	wg.Go(func() {
		v.nodes = pages(ctx, g, &corev1.NodeList{}, func(l *corev1.NodeList) []corev1.Node { return l.Items })
	})
	wg.Go(func() {
		v.operators = pages(ctx, g, &configv1.ClusterOperatorList{},
			func(l *configv1.ClusterOperatorList) []configv1.ClusterOperator { return l.Items })
	})
	wg.Wait()
}

// pages reads a list page by page.
func pages[L client.ObjectList, T any](ctx context.Context, r kube.Reader, list L, items func(L) []T,
	opts ...client.ListOption) result[T] {
	all, err := kube.ListAll(ctx, r, list, items, opts...)
	return result[T]{all, err}
}

// allPools reads the NodePools of a namespace; an empty namespace means all.
func allPools(ctx context.Context, r kube.Reader, namespace string) result[hyperv1.NodePool] {
	return pages(ctx, r, &hyperv1.NodePoolList{}, func(l *hyperv1.NodePoolList) []hyperv1.NodePool { return l.Items },
		client.InNamespace(namespace))
}

// poolsOf reads the NodePools of one cluster. The API server cannot select by clusterName.
func poolsOf(ctx context.Context, r kube.Reader, namespace, name string) result[hyperv1.NodePool] {
	all := allPools(ctx, r, namespace)
	own := result[hyperv1.NodePool]{err: all.err}
	for _, np := range all.items {
		if np.Spec.ClusterName == name {
			own.items = append(own.items, np)
		}
	}
	return own
}

// leftovers adds to a NotFoundError the objects of the hosted cluster that still exist.
func (v *snapshot) leftovers(namespace, name string, err error) error {
	if missing := (*hostedcluster.NotFoundError)(nil); !errors.As(err, &missing) || len(v.pools.items)+len(v.pods.items)+
		len(v.vms.items) == 0 {
		return err
	}
	return &leftoverError{err,
		fmt.Sprintf("%s; still there: %s in namespace %s, %s and %s in namespace %s", err,
			plural.Count(len(v.pools.items), "NodePool"), namespace,
			plural.Count(len(v.vms.items), "VM"), plural.Count(len(v.pods.items), "pod"),
			hostedcluster.ControlPlaneNamespace(namespace, name)), hint.New("%s removes what is left",
			hint.Run("delete cluster", name))}
}

// leftoverError reports that a HostedCluster does not exist, but some of its objects do.
type leftoverError struct {
	error
	text string
	hint hint.Text
}

func (r *leftoverError) Error() string   { return r.text }
func (r *leftoverError) Unwrap() error   { return r.error }
func (r *leftoverError) Hint() hint.Text { return r.hint }
