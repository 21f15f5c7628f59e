// Package metallb simulates the MetalLB operator and runs the real MetalLB controller.
package metallb

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	metallbNamespace = "metallb-system"
	metallbName      = "metallb"
	// deployTime is the time from the creation of the resource until everything is deployed.
	deployTime = time.Second
	// recheck is how soon the operator looks again while its workloads are not ready.
	recheck = 5 * time.Second
	// webhookDelay is how long the webhook server refuses connections after the operator's start (up to a minute in
	// reality).
	webhookDelay = 3 * time.Second
	// controllerProgram is the real MetalLB controller beside the sandbox's binary.
	controllerProgram = "metallb-controller"
)

var (
	metallbKind = schema.GroupVersionKind{Group: "metallb.io", Version: "v1beta1", Kind: "MetalLB"}
	networkKind = schema.GroupVersionKind{Group: "operator.openshift.io", Version: "v1", Kind: "Network"}
)

// Operator is metallb-operator. The MetalLB controller is real: it runs as a child of the sandbox while its Deployment
// exists and this operator runs (in reality it would outlive the operator's pod). The speakers are empty pods, because
// loopback addresses need no announcement.
func Operator() operator.Operator {
	return operator.Operator{
		Name:       "metallb-operator",
		Deployment: types.NamespacedName{Namespace: metallbNamespace, Name: "metallb-operator-controller-manager"},
		Setup: func(ctx context.Context, mgr ctrl.Manager, env operator.Env) error {
			m := &metalLB{Run: framework.NewRun(mgr, env), runCtx: ctx}
			if err := m.ServeWebhooks(m.webhooks()); err != nil {
				return err
			}
			// Like the real one it watches no workload: what is deleted once it is Available stays away until the resource
			// changes.
			if err := m.NewController("metallb", framework.Unstructured(metallbKind)).
				Complete(reconcile.Func(m.reconcile)); err != nil {
				return err
			}
			return m.NewController("metallb-process", &appsv1.Deployment{},
				builder.WithPredicates(predicate.NewPredicateFuncs(func(o client.Object) bool {
					return o.GetNamespace() == metallbNamespace && o.GetName() == "controller"
				}))).Complete(reconcile.Func(m.runController))
		},
	}
}

type metalLB struct {
	*framework.Run
	// runCtx ends with this run of the operator.
	runCtx context.Context

	mu sync.Mutex
	// stop ends the kept controller; nil if none is.
	stop context.CancelFunc
}

func (m *metalLB) reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	cr := framework.Unstructured(metallbKind)
	cr.SetNamespace(req.Namespace)
	cr.SetName(req.Name)
	found, err := framework.Exists(ctx, m.Client, cr)
	if err != nil {
		return reconcile.Result{}, err
	}
	if req.Name == metallbName && (!found || cr.GetDeletionTimestamp() != nil) {
		// Kubernetes collects the Deployment and the DaemonSet.
		m.Forget("metallb")
		return reconcile.Result{}, nil
	}
	if !found {
		return reconcile.Result{}, nil
	}
	if req.Name != metallbName || req.Namespace != metallbNamespace {
		return reconcile.Result{}, m.updateStatus(ctx, cr, "Degraded", "IncorrectMetalLBResourceName",
			fmt.Sprintf("Incorrect MetalLB resource name: %s", req.Name))
	}
	return m.deploy(ctx, cr)
}

func (m *metalLB) deploy(ctx context.Context, cr *unstructured.Unstructured) (ctrl.Result, error) {
	if wait := m.Remaining(deployTime, "metallb"); wait > 0 && !framework.ConditionIs(cr, "Available", "True") {
		return framework.RequeueAfter(wait), m.updateStatus(ctx, cr, "Progressing", "", "")
	}
	placed, _, err := unstructured.NestedStringMap(cr.Object, "spec", "controllerNodeSelector")
	if err != nil {
		return ctrl.Result{}, err
	}
	// Where the API server refuses a workload, the status stays as it was: it refuses the reason "internal error", too.
	controller, err := m.EnsureDeployment(ctx, framework.Workload{
		NamespacedName: types.NamespacedName{Namespace: metallbNamespace, Name: "controller"},
		Labels:         map[string]string{"app": "metallb", "component": "controller"},
		Pod:            func(p *corev1.PodSpec) { p.NodeSelector = placed },
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	selector, _, err := unstructured.NestedStringMap(cr.Object, "spec", "nodeSelector")
	if err != nil {
		return ctrl.Result{}, err
	}
	desired, ready, err := m.EnsureDaemonSet(ctx, framework.Workload{
		NamespacedName: types.NamespacedName{Namespace: metallbNamespace, Name: "speaker"},
		Labels:         map[string]string{"app": "metallb", "component": "speaker"},
		Pod: func(p *corev1.PodSpec) {
			p.NodeSelector = selector
			p.Tolerations = []corev1.Toleration{
				{Key: "node-role.kubernetes.io/master", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule},
				{Key: "node-role.kubernetes.io/control-plane", Operator: corev1.TolerationOpExists,
					Effect: corev1.TaintEffectNoSchedule},
			}
		},
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	if err := m.adopt(ctx, cr, placed); err != nil {
		return ctrl.Result{}, err
	}
	if err := m.enableFRR(ctx); err != nil {
		return ctrl.Result{}, err
	}
	if err := m.reportConfiguration(ctx, cr); err != nil {
		return ctrl.Result{}, err
	}
	if !controller || desired < 0 || ready < desired {
		return framework.RequeueAfter(m.Pace.Scale(recheck)), m.updateStatus(ctx, cr, "Progressing", "", "")
	}
	return ctrl.Result{}, m.updateStatus(ctx, cr, "Available", "", "")
}

// reportConfiguration writes what MetalLB's controller says of its configuration from 4.21 on: the real one that runs
// here is older. It stays as it is once it is there, so that a script can say that the configuration is refused.
func (m *metalLB) reportConfiguration(ctx context.Context, cr *unstructured.Unstructured) error {
	state := framework.Unstructured(schema.GroupVersionKind{Group: "metallb.io", Version: "v1beta1",
		Kind: "ConfigurationState"})
	state.SetNamespace(metallbNamespace)
	state.SetName("controller")
	if found, err := framework.Exists(ctx, m.Client, state); err != nil || found ||
		!framework.AtLeast(m.Profile.Minor(), "4.21") {
		return err
	}
	state.SetLabels(map[string]string{"metallb.io/component-type": "controller"})
	state.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "metallb.io/v1beta1", Kind: "MetalLB",
		Name: cr.GetName(), UID: cr.GetUID()}}) // the controller's pod in reality
	if err := m.Client.Create(ctx, state); err != nil {
		return err
	}
	return framework.WriteStatus(ctx, m.Client, state, func(o *unstructured.Unstructured) {
		o.Object["status"] = map[string]any{"result": "Valid"}
		framework.SetConditions(o, framework.Plain, framework.Condition{Type: "poolReconcilerValid", Status: "True",
			Reason: "SyncStateSuccess"})
	})
}

// enableFRR asks OpenShift's network operator for frr-k8s, which the operator does from 4.19 on and never takes back.
// The daemons are not played.
func (m *metalLB) enableFRR(ctx context.Context) error {
	if !framework.AtLeast(m.Profile.Minor(), "4.19") {
		return nil
	}
	network := framework.Unstructured(networkKind)
	network.SetName("cluster")
	if found, err := framework.Exists(ctx, m.Live, network); err != nil || !found {
		return err
	}
	return framework.Change(ctx, m.Live, network, func(o *unstructured.Unstructured) {
		framework.Set(o, []any{"FRR"}, "spec", "additionalRoutingCapabilities", "providers")
	})
}

// runController plays the pod of MetalLB's controller: the real program runs while its Deployment is available.
func (m *metalLB) runController(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	found, err := framework.Exists(ctx, m.Client, d)
	switch {
	case err != nil:
		return reconcile.Result{}, err
	case found && d.GetDeletionTimestamp() == nil && d.Status.AvailableReplicas > 0:
		return reconcile.Result{}, m.startController()
	}
	m.stopController()
	return reconcile.Result{}, nil
}

// adopt makes the MetalLB resource the owner of its operands, and puts the controller where it says.
func (m *metalLB) adopt(ctx context.Context, cr *unstructured.Unstructured, placed map[string]string) error {
	owner := []metav1.OwnerReference{*metav1.NewControllerRef(cr, metallbKind)}
	controller := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: metallbNamespace, Name: "controller"}}
	if found, err := framework.Exists(ctx, m.Client, controller); err != nil {
		return err
	} else if found {
		if err := framework.Change(ctx, m.Client, controller, func(d *appsv1.Deployment) {
			d.OwnerReferences, d.Spec.Template.Spec.NodeSelector = owner, placed
		}); err != nil {
			return err
		}
	}
	speaker := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: metallbNamespace, Name: "speaker"}}
	if found, err := framework.Exists(ctx, m.Client, speaker); err != nil || !found {
		return err
	}
	return framework.Change(ctx, m.Client, speaker, func(d *appsv1.DaemonSet) { d.OwnerReferences = owner })
}

// updateStatus writes the four conditions: the named one is True, the others False. Upgradeable follows Available.
func (m *metalLB) updateStatus(ctx context.Context, cr *unstructured.Unstructured, state, reason,
	message string) error {
	return framework.WriteStatus(ctx, m.Client, cr, func(o *unstructured.Unstructured) {
		for _, kind := range []string{"Available", "Upgradeable", "Progressing", "Degraded"} {
			c := framework.Condition{Type: kind, Status: "False", Reason: kind}
			if kind == state || kind == "Upgradeable" && state == "Available" {
				c.Status = "True"
				if reason != "" {
					c.Reason = reason
				}
				c.Message = message
			}
			framework.SetConditions(o, framework.Plain, c)
		}
	})
}

// startController starts the real controller unless it runs.
func (m *metalLB) startController() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stop != nil {
		return nil
	}
	kubeconfig := filepath.Join(m.Dir, "metallb.kubeconfig")
	if err := writeKubeconfig(m.Config, kubeconfig); err != nil {
		return fmt.Errorf("kubeconfig of the MetalLB controller: %w", err)
	}
	ctx, stop := context.WithCancel(m.runCtx)
	_, err := m.Processes.Keep(ctx, controllerProgram, controllerProgram, []string{
		"--namespace=" + metallbNamespace,
		// The operator's own webhooks are enough. The controller's would need port 9443 on every address.
		"--webhook-mode=disabled",
		// MetalLB cannot bind its metrics to loopback. It only logs a port that it cannot open.
		"--port=-1",
	}, []string{
		"KUBECONFIG=" + kubeconfig,
		"METALLB_ML_SECRET_NAME=metallb-memberlist",
		"METALLB_DEPLOYMENT=controller",
	})
	if err != nil {
		stop()
		return fmt.Errorf("starting the MetalLB controller: %w", err)
	}
	m.stop = stop
	return nil
}

func (m *metalLB) stopController() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.stop != nil {
		m.stop()
		m.stop = nil
	}
}

// writeKubeconfig writes config as a kubeconfig that only the owner can read.
func writeKubeconfig(config *rest.Config, file string) error {
	loaded := rest.CopyConfig(config)
	if err := rest.LoadTLSFiles(loaded); err != nil {
		return err
	}
	c := clientcmdapi.NewConfig()
	c.Clusters["sandbox"] = &clientcmdapi.Cluster{Server: loaded.Host, CertificateAuthorityData: loaded.CAData,
		InsecureSkipTLSVerify: loaded.Insecure, TLSServerName: loaded.ServerName}
	c.AuthInfos["operator"] = &clientcmdapi.AuthInfo{ClientCertificateData: loaded.CertData, ClientKeyData: loaded.KeyData,
		Token: loaded.BearerToken}
	c.Contexts["sandbox"] = &clientcmdapi.Context{Cluster: "sandbox", AuthInfo: "operator"}
	c.CurrentContext = "sandbox"
	raw, err := clientcmd.Write(*c)
	if err != nil {
		return err
	}
	return os.WriteFile(file, raw, 0o600)
}
