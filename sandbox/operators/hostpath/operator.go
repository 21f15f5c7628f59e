// Package hostpath simulates the hostpath provisioner's operator, which comes with OpenShift Virtualization, and its
// CSI driver.
package hostpath

import (
	"context"
	"errors"
	"fmt"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	driver    = "kubevirt.io.hostpath-provisioner"
	finalizer = "finalizer.delete.hostpath-provisioner"
	topology  = "topology.hostpath.csi/node"
	// workload is the DaemonSet of the driver, and its SecurityContextConstraints.
	workload = "hostpath-provisioner-csi"
	webhook  = "validate-hostpath-provisioner.kubevirt.io"
)

var (
	kind = schema.GroupVersionKind{Group: "hostpathprovisioner.kubevirt.io", Version: "v1beta1",
		Kind: "HostPathProvisioner"}
	constraintsKind = schema.GroupVersionKind{Group: "security.openshift.io", Version: "v1",
		Kind: "SecurityContextConstraints"}
)

// Operator is the operator in a namespace, and its driver. Pools on claims (pvcTemplate), snapshots and upgrades are
// left out, and so are its account, roles and metrics.
func Operator(namespace string) operator.Operator {
	return operator.Operator{
		Name:       "hostpath-provisioner-operator in " + namespace,
		Deployment: types.NamespacedName{Namespace: namespace, Name: "hostpath-provisioner-operator"},
		Setup: func(_ context.Context, mgr ctrl.Manager, env operator.Env) error {
			p := &provisioner{framework.NewRun(mgr, env), namespace}
			return p.WhenServed("hostpath", p.start, kind)
		},
	}
}

type provisioner struct {
	*framework.Run
	namespace string
}

func (p *provisioner) start() error {
	if err := p.ServeWebhooks(p.webhooks()); err != nil {
		return err
	}
	each := p.ToEach(framework.UnstructuredList(kind))
	err := p.NewController("hostpathprovisioner", framework.Unstructured(kind)).
		Watches(&appsv1.DaemonSet{}, each, framework.InNamespaces(p.namespace)).
		Complete(p.ForExisting(kind, p.reconcile))
	if err != nil {
		return err
	}
	return framework.CSI{Run: p.Run, Name: "hostpath", Provides: func(name string) bool { return name == driver },
		Source: source}.Start()
}

// source places a volume on the node that the scheduler chose for the claim's first consumer.
func source(_ *storagev1.StorageClass, claim *corev1.PersistentVolumeClaim, spec *corev1.PersistentVolumeSpec) {
	spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: "pvc-" + string(claim.UID)}
	spec.NodeAffinity = &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{
			Key: topology, Operator: corev1.NodeSelectorOpIn,
			Values: []string{claim.Annotations["volume.kubernetes.io/selected-node"]},
		}}}}}}
}

// pool is one of spec.storagePools.
type pool struct {
	Name string `json:"name"`
	Path string `json:"path"`
}

// webhooks is the operator's, with its own words. OLM makes its configuration in reality.
func (p *provisioner) webhooks() framework.Webhooks {
	return framework.Webhooks{Name: webhook, Namespace: p.namespace, Rules: []framework.WebhookRule{{
		Name: webhook, Group: kind.Group, Version: kind.Version, Resource: "hostpathprovisioners",
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create,
			admissionregistrationv1.Update, admissionregistrationv1.Delete},
		Review: func(_ context.Context, req admission.Request) error {
			if req.Operation == "DELETE" {
				return nil
			}
			o := &unstructured.Unstructured{}
			if err := o.UnmarshalJSON(req.Object.Raw); err != nil {
				return err
			}
			return valid(o)
		},
	}}}
}

func valid(o *unstructured.Unstructured) error {
	var pools []pool
	if _, err := framework.Read(o, &pools, "spec", "storagePools"); err != nil {
		return err
	}
	_, legacy, _ := unstructured.NestedMap(o.Object, "spec", "pathConfig")
	switch {
	case legacy && len(pools) > 0:
		return errors.New("pathConfig and storage pools cannot be both set")
	case !legacy && len(pools) == 0:
		return errors.New("either pathConfig or storage pools must be set")
	case legacy && framework.Text(o, "spec", "pathConfig", "path") == "":
		return errors.New("pathconfig path must be set")
	}
	paths, names := map[string]int{}, map[string]int{}
	for i, one := range pools {
		switch {
		case one.Name == "":
			return errors.New("storagePool.name cannot be blank")
		case len(one.Name) > 50:
			return errors.New("storagePool.name cannot have a length greater than 50")
		case one.Path == "":
			return errors.New("storagePool.path cannot be blank")
		case len(one.Path) > 255:
			return errors.New("storagePool.path cannot have a length greater than 255")
		}
		if first, twice := paths[one.Path]; twice {
			return fmt.Errorf("spec.storagePools[%d].path is the same as spec.storagePools[%d].path, cannot have "+
				"duplicate paths", i, first)
		}
		if first, twice := names[one.Name]; twice {
			return fmt.Errorf("spec.storagePools[%d].name is the same as spec.storagePools[%d].name, cannot have "+
				"duplicate names", i, first)
		}
		paths[one.Path], names[one.Name] = i, i
	}
	return nil
}

func (p *provisioner) reconcile(ctx context.Context, o *unstructured.Unstructured) (ctrl.Result, error) {
	all := framework.UnstructuredList(kind)()
	if err := p.Live.List(ctx, all); err != nil {
		return ctrl.Result{}, err
	}
	if n := len(framework.Items(all)); n > 1 {
		// The real one does nothing either, not even for one that is being deleted.
		return ctrl.Result{}, fmt.Errorf("there should be a single hostpath provisioner, %d items found", n)
	}
	if o.GetDeletionTimestamp() != nil {
		return ctrl.Result{}, p.uninstall(ctx, o)
	}
	if err := framework.AddFinalizer(ctx, p.Client, o, finalizer); err != nil {
		return ctrl.Result{}, err
	}
	version := "v" + p.Profile.Minor() + ".0" // made up
	ready, err := p.deploy(ctx, o)
	deployed := framework.Text(o, "status", "observedVersion") != ""
	var c conditions
	switch {
	case err != nil:
		c = conditions{"False", "True", "True", framework.Condition{Type: "Degraded", Reason: "Reconcile Failed",
			Message: fmt.Sprintf("Unable to successfully reconcile: %v", err)}}
	case ready:
		c = conditions{"True", "False", "False", framework.Condition{Type: "Available", Reason: "Complete",
			Message: "Application Available"}}
	case deployed && !framework.AtLeast(p.Profile.Minor(), "4.14"):
		c = conditions{"True", "False", "True", framework.Condition{}}
	case deployed:
		c = conditions{"False", "False", "True", framework.Condition{Type: "Degraded", Reason: "Degraded",
			Message: "CR is deployed but DaemonSets are not ready"}}
	default:
		c = conditions{"False", "True", "False", framework.Condition{Type: "Progressing", Reason: "DeployStarted",
			Message: "Started Deployment"}}
	}
	written := framework.Change(ctx, p.Client, o, func(o *unstructured.Unstructured) {
		framework.Set(o, version, "status", "operatorVersion")
		framework.Set(o, version, "status", "targetVersion")
		if ready {
			framework.Set(o, version, "status", "observedVersion")
		}
		framework.SetConditions(o, framework.Heartbeats, c.all()...)
	})
	return ctrl.Result{}, errors.Join(err, written)
}

// conditions are the statuses of Available, Progressing and Degraded, and the one of them that says why.
type conditions struct {
	available, progressing, degraded string
	why                              framework.Condition
}

func (c conditions) all() []framework.Condition {
	out := []framework.Condition{{Type: "Available", Status: c.available}, {Type: "Progressing", Status: c.progressing},
		{Type: "Degraded", Status: c.degraded}}
	for i := range out {
		if out[i].Type == c.why.Type {
			out[i].Reason, out[i].Message = c.why.Reason, c.why.Message
		}
	}
	return out
}

// deploy makes what the operator makes, and reports whether the driver runs on every node that it is for.
func (p *provisioner) deploy(ctx context.Context, o *unstructured.Unstructured) (ready bool, err error) {
	var pools []pool
	if _, err := framework.Read(o, &pools, "spec", "storagePools"); err != nil {
		return false, err
	}
	if path := framework.Text(o, "spec", "pathConfig", "path"); path != "" {
		pools = []pool{{Name: "csi", Path: path}}
	}
	wanted, running, err := p.EnsureDaemonSet(ctx, framework.Workload{
		NamespacedName: types.NamespacedName{Namespace: p.namespace, Name: workload}, Owner: o,
		Labels: map[string]string{"k8s-app": "hostpath-provisioner"},
		Pod: func(spec *corev1.PodSpec) {
			// The schema refuses what cannot be read.
			_, _ = framework.Read(o, &spec.Tolerations, "spec", "workload", "tolerations")
			_, _ = framework.Read(o, &spec.NodeSelector, "spec", "workload", "nodeSelector")
			_, _ = framework.Read(o, &spec.Affinity, "spec", "workload", "affinity")
			for _, one := range pools {
				spec.Volumes = append(spec.Volumes, corev1.Volume{Name: one.Name + "-data-dir",
					VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{
						Path: one.Path, Type: ptr.To(corev1.HostPathDirectoryOrCreate)}}})
			}
		},
	})
	if err != nil {
		return false, err
	}
	if err := framework.Create(ctx, p.Live, csiDriver()); err != nil {
		return false, err
	}
	scc := framework.Unstructured(constraintsKind)
	scc.SetName(workload)
	scc.Object["users"] = []any{"system:serviceaccount:" + p.namespace + ":hostpath-provisioner-admin-csi"}
	if err := framework.Create(ctx, p.Live, scc); err != nil {
		return false, err
	}
	if running == 0 || running < wanted || wanted < 0 {
		return false, nil
	}
	if err := p.RegisterDrivers(ctx, driver); err != nil {
		return false, err
	}
	return true, p.label(ctx)
}

// csiDriver leaves storageCapacity out: nobody counts the nodes' free space here.
func csiDriver() *storagev1.CSIDriver {
	return &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: driver}, Spec: storagev1.CSIDriverSpec{
		AttachRequired: ptr.To(false), PodInfoOnMount: ptr.To(true),
		VolumeLifecycleModes: []storagev1.VolumeLifecycleMode{storagev1.VolumeLifecyclePersistent,
			storagev1.VolumeLifecycleEphemeral}}}
}

// label gives nodes the label of the driver's topology, which kubelets write and never remove.
func (p *provisioner) label(ctx context.Context) error {
	nodes := &storagev1.CSINodeList{}
	if err := p.Client.List(ctx, nodes); err != nil {
		return err
	}
	for _, csi := range nodes.Items {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: csi.Name}}
		if found, err := framework.Exists(ctx, p.Client, node); err != nil || !found {
			return err
		}
		if err := framework.Change(ctx, p.Client, node, func(n *corev1.Node) { n.Labels[topology] = n.Name }); err != nil {
			return err
		}
	}
	return nil
}

// uninstall looks at no volume. The DaemonSet goes with its owner.
func (p *provisioner) uninstall(ctx context.Context, o *unstructured.Unstructured) error {
	scc := framework.Unstructured(constraintsKind)
	scc.SetName(workload)
	if err := framework.Remove(ctx, p.Live, scc); err != nil {
		return err
	}
	if err := p.UnregisterDrivers(ctx, driver); err != nil {
		return err
	}
	return framework.RemoveFinalizer[client.Object](ctx, p.Client, o, finalizer)
}
