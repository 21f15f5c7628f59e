package virtualization

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	apimachineryversion "k8s.io/apimachinery/pkg/version"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	sdkapi "kubevirt.io/controller-lifecycle-operator-sdk/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	subresourcesGroup = "subresources.kubevirt.io"
	subresourcesV     = "v1"
)

// virtDevices are the devices of virt-handler's plugins on each node, a thousand of each.
var virtDevices = []corev1.ResourceName{"devices.kubevirt.io/kvm", "devices.kubevirt.io/tun",
	"devices.kubevirt.io/vhost-net"}

func (v *virtualization) theKubeVirt() *kubevirtv1.KubeVirt {
	return &kubevirtv1.KubeVirt{ObjectMeta: metav1.ObjectMeta{
		Namespace: v.namespace, Name: "kubevirt-" + hyperconvergedOne, Labels: map[string]string{"app": hyperconvergedOne}}}
}

func (v *virtualization) theCDI() *cdiv1.CDI {
	return &cdiv1.CDI{ObjectMeta: metav1.ObjectMeta{Name: "cdi-" + hyperconvergedOne,
		Labels: map[string]string{"app": hyperconvergedOne}}}
}

// workloads returns the Deployments of virt-operator and cdi-operator.
func (v *virtualization) workloads() []framework.Workload {
	var out []framework.Workload
	for name, replicas := range map[string]int32{
		"virt-api": 2, "virt-controller": 2, "cdi-apiserver": 1, "cdi-deployment": 1, "cdi-uploadproxy": 1,
	} {
		out = append(out, framework.Workload{
			NamespacedName: types.NamespacedName{Namespace: v.namespace, Name: name},
			Replicas:       replicas, Labels: map[string]string{"kubevirt.io": name},
		})
	}
	return out
}

// running says of which components all workloads run. deployed means that CDI's did before: from then on it is degraded
// without them.
type running struct {
	virt, cdi, handlers, deployed bool
	// silent means that cdi-operator does not run and has written no conditions of a new CDI yet.
	silent bool
}

// deploy creates the KubeVirt and CDI resources and their operators' workloads, and reports which of them run.
func (v *virtualization) deploy(ctx context.Context) (running, error) {
	run := running{virt: true, cdi: true}
	if err := framework.Create(ctx, v.Client, v.theKubeVirt()); err != nil {
		return run, err
	}
	cdi := v.theCDI()
	if err := framework.Create(ctx, v.Client, cdi); err != nil {
		return run, err
	}
	_, err := framework.Exists(ctx, v.Client, cdi)
	if err != nil {
		return run, err
	}
	run.deployed = cdi.Status.Phase == sdkapi.PhaseDeployed
	if run.silent, err = v.cdiSilent(ctx, cdi); err != nil || run.silent {
		return run, err
	}
	for _, w := range v.workloads() {
		up, err := v.EnsureDeployment(ctx, w)
		if err != nil {
			return run, err
		}
		if strings.HasPrefix(w.Name, "cdi-") {
			run.cdi = run.cdi && up
		} else {
			run.virt = run.virt && up
		}
	}
	desired, handlers, err := v.EnsureDaemonSet(ctx, framework.Workload{
		NamespacedName: types.NamespacedName{Namespace: v.namespace, Name: "virt-handler"},
		Labels:         map[string]string{"kubevirt.io": "virt-handler"},
	})
	if err != nil {
		return run, err
	}
	run.handlers = desired >= 0 && handlers >= desired
	return run, v.phases(ctx, run.virt && run.cdi && run.handlers)
}

// cdiSilent reports whether nobody looks at a new CDI: the Deployment of cdi-operator is there and no pod of it runs.
func (v *virtualization) cdiSilent(ctx context.Context, cdi *cdiv1.CDI) (bool, error) {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: v.namespace, Name: "cdi-operator"}}
	found, err := framework.Exists(ctx, v.Client, d)
	return found && cdi.Status.Phase == "" && d.Status.AvailableReplicas == 0, err
}

// phases writes the status of the KubeVirt and CDI resources. A Deployed resource stays Deployed when pods restart.
func (v *virtualization) phases(ctx context.Context, ready bool) error {
	kv := v.theKubeVirt()
	if found, err := framework.Exists(ctx, v.Client, kv); err != nil || !found {
		return err
	}
	err := framework.WriteStatus(ctx, v.Client, kv, func(kv *kubevirtv1.KubeVirt) {
		kv.Status.OperatorVersion = v.kubeVirt()
		kv.Status.TargetKubeVirtVersion = v.kubeVirt()
		switch {
		case ready:
			kv.Status.Phase = kubevirtv1.KubeVirtPhaseDeployed
			kv.Status.ObservedKubeVirtVersion = v.kubeVirt()
			kv.Status.Conditions = kubevirtConditions(kv.Status.Conditions, corev1.ConditionTrue)
		case kv.Status.Phase == "":
			kv.Status.Phase = kubevirtv1.KubeVirtPhaseDeploying
			kv.Status.Conditions = kubevirtConditions(nil, corev1.ConditionFalse)
		}
	})
	if err != nil {
		return err
	}
	cdi := v.theCDI()
	if found, err := framework.Exists(ctx, v.Client, cdi); err != nil || !found {
		return err
	}
	return framework.WriteStatus(ctx, v.Client, cdi, func(cdi *cdiv1.CDI) {
		switch {
		case ready:
			cdi.Status.Phase = sdkapi.PhaseDeployed
		case cdi.Status.Phase == "":
			cdi.Status.Phase = sdkapi.PhaseDeploying
		}
	})
}

func kubevirtConditions(old []kubevirtv1.KubeVirtCondition,
	available corev1.ConditionStatus) []kubevirtv1.KubeVirtCondition {
	if len(old) > 0 && old[0].Status == available {
		return old
	}
	opposite := map[corev1.ConditionStatus]corev1.ConditionStatus{corev1.ConditionTrue: corev1.ConditionFalse,
		corev1.ConditionFalse: corev1.ConditionTrue}
	now := metav1.Now()
	return []kubevirtv1.KubeVirtCondition{
		{Type: kubevirtv1.KubeVirtConditionAvailable, Status: available, Reason: "AllComponentsReady",
			Message: "All components are ready.", LastTransitionTime: now},
		{Type: kubevirtv1.KubeVirtConditionProgressing, Status: opposite[available], Reason: "AllComponentsReady",
			Message: "All components are ready.", LastTransitionTime: now},
		{Type: kubevirtv1.KubeVirtConditionDegraded, Status: corev1.ConditionFalse, Reason: "AllComponentsReady",
			Message: "All components are ready.", LastTransitionTime: now},
		{Type: kubevirtv1.KubeVirtConditionCreated, Status: corev1.ConditionTrue, Reason: "AllResourcesCreated",
			Message: "All resources were created.", LastTransitionTime: now},
	}
}

// finish creates what makes KubeVirt usable once its pods run: the version endpoint and the nodes' devices.
func (v *virtualization) finish(ctx context.Context) error {
	err := v.APIs.Register(ctx, subresourcesGroup, subresourcesV,
		types.NamespacedName{Namespace: v.namespace, Name: "virt-api"},
		http.HandlerFunc(v.subresource),
		operator.APIResource{Name: "virtualmachines/start", Kind: "VirtualMachine", Namespaced: true,
			Verbs: []string{"update"}},
		operator.APIResource{Name: "virtualmachines/stop", Kind: "VirtualMachine", Namespaced: true,
			Verbs: []string{"update"}},
		operator.APIResource{Name: "virtualmachines/addvolume", Kind: "VirtualMachine", Namespaced: true,
			Verbs: []string{"update"}},
		operator.APIResource{Name: "virtualmachines/removevolume", Kind: "VirtualMachine", Namespaced: true,
			Verbs: []string{"update"}},
		operator.APIResource{Name: "virtualmachineinstances/console", Kind: "VirtualMachineInstance", Namespaced: true,
			Verbs: []string{"get"}},
		operator.APIResource{Name: "virtualmachineinstances/portforward", Kind: "VirtualMachineInstance", Namespaced: true,
			Verbs: []string{"get"}},
	)
	if err != nil {
		return err
	}
	for _, o := range versionRole() {
		if err := framework.Create(ctx, v.Client, o); err != nil {
			return err
		}
	}
	return v.nodes(ctx)
}

// versionRole lets everybody ask for the version of KubeVirt (virt-operator, resource/generate/rbac/cluster.go, 1.0 to
// 1.8).
func versionRole() []client.Object {
	name := metav1.ObjectMeta{Name: "kubevirt.io:default"}
	group := func(name string) rbacv1.Subject {
		return rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: name}
	}
	return []client.Object{
		&rbacv1.ClusterRole{ObjectMeta: name, Rules: []rbacv1.PolicyRule{{APIGroups: []string{subresourcesGroup},
			Resources: []string{"version", "guestfs"}, Verbs: []string{"get", "list"}}}},
		&rbacv1.ClusterRoleBinding{ObjectMeta: name,
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name.Name},
			Subjects: []rbacv1.Subject{group("system:authenticated"), group("system:unauthenticated")}},
	}
}

// subresource answers what virt-api is asked: the version, ports and volumes of virtual machines.
func (v *virtualization) subresource(w http.ResponseWriter, r *http.Request) {
	if !v.portForward(w, r) && !v.console(w, r) && !v.changeVolume(w, r) {
		v.versionEndpoint(w, r)
	}
}

// versionEndpoint answers GET .../version, and refuses all else.
func (v *virtualization) versionEndpoint(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/apis/"+subresourcesGroup+"/"+subresourcesV+"/version" {
		http.Error(w, "the sandbox serves no virtual machine subresources", http.StatusNotImplemented)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	// The client may have disconnected, so the error is ignored.
	_ = json.NewEncoder(w).Encode(apimachineryversion.Info{
		GitVersion: v.kubeVirt(), GitTreeState: "clean", Compiler: "gc", Platform: "linux/amd64",
	})
}

// nodes labels every node with a ready virt-handler and adds its devices.
func (v *virtualization) nodes(ctx context.Context) error {
	handlers := &corev1.PodList{}
	if err := v.Client.List(ctx, handlers, framework.InNamespace(v.namespace),
		client.MatchingLabels{"kubevirt.io": "virt-handler"}); err != nil {
		return err
	}
	last := lastNode(handlers.Items)
	for i := range handlers.Items {
		if !podReady(&handlers.Items[i]) {
			continue
		}
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: handlers.Items[i].Spec.NodeName}}
		if found, err := framework.Exists(ctx, v.Client, node); err != nil || !found {
			return err
		}
		fit := v.nodeDevicesOf(node.Name == last)
		if err := framework.Change(ctx, v.Client, node, func(n *corev1.Node) {
			metav1.SetMetaDataLabel(&n.ObjectMeta, kubevirtv1.NodeSchedulable, fit.schedulable)
			// Nothing takes this one back: virt-operator removes what begins with kubevirt.io/ alone.
			metav1.SetMetaDataLabel(&n.ObjectMeta, kubevirtv1.CPUModelVendorLabel+"Intel", "true")
		}); err != nil {
			return err
		}
		if err := framework.WriteStatus(ctx, v.Client, node, fit.applyTo); err != nil {
			return err
		}
	}
	return nil
}

func podReady(p *corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue && p.DeletionTimestamp == nil
		}
	}
	return false
}

// uninstall removes KubeVirt and CDI. Virtual machines block it (uninstallStrategy BlockUninstallIfWorkloadsExist; in
// reality a webhook already refuses the deletion).
func (v *virtualization) uninstall(ctx context.Context, hco *unstructured.Unstructured) error {
	vms := &kubevirtv1.VirtualMachineInstanceList{}
	if err := v.Client.List(ctx, vms); err != nil && !framework.IsGone(err) {
		return err
	}
	if len(vms.Items) > 0 {
		c := framework.Condition{Status: "False", Reason: "ReconcileFailed", Message: "error while reconciling: The " +
			"uninstall request failed on virt component: there are still Virtual Machine Instances present"}
		return v.updateStatus(ctx, hco, "error", hcoConditions{c})
	}
	if err := v.APIs.Unregister(ctx, subresourcesGroup, subresourcesV); err != nil {
		return err
	}
	doomed := []client.Object{v.theKubeVirt(), v.theCDI(),
		&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: v.namespace, Name: "virt-handler"}}}
	doomed = append(doomed, versionRole()...)
	for _, w := range v.workloads() {
		doomed = append(doomed, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: w.Namespace, Name: w.Name}})
	}
	for _, o := range doomed {
		if err := framework.Remove(ctx, v.Client, o, client.PropagationPolicy(
			metav1.DeletePropagationBackground)); err != nil {
			return err
		}
	}
	nodes := &corev1.NodeList{}
	if err := v.Client.List(ctx, nodes, client.HasLabels{kubevirtv1.NodeSchedulable}); err != nil {
		return err
	}
	for i := range nodes.Items {
		if err := framework.Change(ctx, v.Client, &nodes.Items[i], func(n *corev1.Node) {
			delete(n.Labels, kubevirtv1.NodeSchedulable)
		}); err != nil {
			return err
		}
	}
	return framework.RemoveFinalizer[client.Object](ctx, v.Client, hco, virtFinalizer)
}
