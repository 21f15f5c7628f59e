package virtualization

import (
	"context"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const machineFinalizer = "kubevirt.io/virtualMachineControllerFinalize"

// startOperands starts virt-controller's and CDI's controllers once their CRDs exist.
func (v *virtualization) startOperands() error {
	kubevirt := kubevirtv1.SchemeGroupVersion
	err := v.WhenServed("cdi-crds", func() error {
		if err := v.NewController("datavolume", &cdiv1.DataVolume{}).
			Owns(&corev1.PersistentVolumeClaim{}).Watches(&cdiv1.StorageProfile{},
			v.ToEach(func() client.ObjectList { return &cdiv1.DataVolumeList{} })).
			Complete(reconcile.Func(v.dataVolume)); err != nil {
			return err
		}
		return v.NewController("storageprofile", &storagev1.StorageClass{}).
			Watches(&corev1.PersistentVolume{}, v.ToEach(func() client.ObjectList { return &storagev1.StorageClassList{} })).
			Complete(reconcile.Func(v.profile))
	}, cdiv1.SchemeGroupVersion.WithKind("DataVolume"), cdiv1.SchemeGroupVersion.WithKind("StorageProfile"))
	if err != nil {
		return err
	}
	if err := v.WhenServed("kubevirt-migrations-crd", func() error {
		return v.NewController("virtualmachineinstancemigration", &kubevirtv1.VirtualMachineInstanceMigration{}).
			Complete(reconcile.Func(v.migration))
	}, kubevirt.WithKind("VirtualMachineInstanceMigration")); err != nil {
		return err
	}
	return v.WhenServed("kubevirt-crds", func() error {
		if err := v.NewController("virtualmachine", &kubevirtv1.VirtualMachine{}).
			Owns(&kubevirtv1.VirtualMachineInstance{}).Owns(&cdiv1.DataVolume{}).
			Complete(reconcile.Func(v.machine)); err != nil {
			return err
		}
		return v.NewController("virtualmachineinstance", &kubevirtv1.VirtualMachineInstance{}).
			Owns(&corev1.Pod{}).
			Complete(reconcile.Func(v.instance))
	}, kubevirt.WithKind("VirtualMachine"), kubevirt.WithKind("VirtualMachineInstance"), cdiv1.SchemeGroupVersion.WithKind(
		"DataVolume"))
}

// machine reconciles a VirtualMachine: its disks, then its instance.
func (v *virtualization) machine(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	vm := &kubevirtv1.VirtualMachine{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace, Name: req.Name}}
	if found, err := framework.Exists(ctx, v.Client, vm); err != nil || !found {
		return reconcile.Result{}, err
	}
	vmi := &kubevirtv1.VirtualMachineInstance{ObjectMeta: metav1.ObjectMeta{Namespace: vm.Namespace, Name: vm.Name}}
	running, err := framework.Exists(ctx, v.Client, vmi)
	if err != nil {
		return reconcile.Result{}, err
	}
	if vm.DeletionTimestamp != nil {
		if running {
			if err := framework.Remove(ctx, v.Client, vmi); err != nil {
				return reconcile.Result{}, err
			}
			return reconcile.Result{}, v.machineStatus(ctx, vm, vmi, kubevirtv1.VirtualMachineStatusTerminating)
		}
		return reconcile.Result{}, framework.RemoveFinalizer(ctx, v.Client, vm, machineFinalizer)
	}
	if err := framework.AddFinalizer(ctx, v.Client, vm, machineFinalizer); err != nil {
		return reconcile.Result{}, err
	}
	disksReady, broken, err := v.machineDisks(ctx, vm)
	if err != nil {
		return reconcile.Result{}, err
	}
	strategy, err := vm.RunStrategy()
	if err != nil {
		return reconcile.Result{}, err
	}
	wantsInstance := strategy != kubevirtv1.RunStrategyHalted && strategy != kubevirtv1.RunStrategyManual
	ended := running && (vmi.Status.Phase == kubevirtv1.Failed || vmi.Status.Phase == kubevirtv1.Succeeded)
	switch {
	case running && vmi.DeletionTimestamp == nil && (strategy == kubevirtv1.RunStrategyHalted || ended &&
		strategy != kubevirtv1.RunStrategyOnce):
		if err := framework.Remove(ctx, v.Client, vmi); err != nil {
			return reconcile.Result{}, err
		}
	case !running && wantsInstance && disksReady:
		vmi = instanceOf(vm)
		if err := framework.Create(ctx, v.Client, vmi); err != nil {
			return reconcile.Result{}, err
		}
	}
	if running && vmi.DeletionTimestamp == nil {
		if err := v.handOn(ctx, vm, vmi); err != nil {
			return reconcile.Result{}, err
		}
	}
	if !running {
		vmi = nil
	}
	word := printableStatus(vmi, wantsInstance, disksReady)
	if broken && vmi == nil {
		word = kubevirtv1.VirtualMachineStatusDataVolumeError
	}
	return reconcile.Result{}, v.machineStatus(ctx, vm, vmi, word)
}

// machineDisks creates the DataVolumes of a machine and reports whether it can start with them, and whether one of them
// failed.
func (v *virtualization) machineDisks(ctx context.Context,
	vm *kubevirtv1.VirtualMachine) (ready, broken bool, err error) {
	ready = true
	for _, t := range vm.Spec.DataVolumeTemplates {
		dv := &cdiv1.DataVolume{ObjectMeta: *t.ObjectMeta.DeepCopy()}
		dv.Namespace = vm.Namespace
		found, err := framework.Exists(ctx, v.Client, dv)
		if err != nil {
			return false, false, err
		}
		if !found {
			dv.Spec = *t.Spec.DeepCopy()
			dv.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(vm, kubevirtv1.VirtualMachineGroupVersionKind)}
			if err := framework.Create(ctx, v.Client, dv); err != nil {
				return false, false, err
			}
		}
		broken = broken || volumeFailed(dv)
		// The instance's pod is the first consumer that such a volume waits for. (KubeVirt creates a temporary pod
		// first.)
		ready = ready && (dv.Status.Phase == cdiv1.Succeeded || dv.Status.Phase == cdiv1.WaitForFirstConsumer)
	}
	return ready, broken, nil
}

func instanceOf(vm *kubevirtv1.VirtualMachine) *kubevirtv1.VirtualMachineInstance {
	vmi := &kubevirtv1.VirtualMachineInstance{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: vm.Namespace, Name: vm.Name, Labels: map[string]string{}, Annotations: map[string]string{},
			Finalizers:      []string{kubevirtv1.VirtualMachineInstanceFinalizer},
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(vm, kubevirtv1.VirtualMachineGroupVersionKind)},
		},
	}
	if t := vm.Spec.Template; t != nil {
		vmi.Spec = *t.Spec.DeepCopy()
		for k, value := range t.ObjectMeta.Labels {
			vmi.Labels[k] = value
		}
		for k, value := range t.ObjectMeta.Annotations {
			vmi.Annotations[k] = value
		}
	}
	vmi.Annotations["kubevirt.io/vm-generation"] = strconv.FormatInt(vm.Generation, 10)
	return vmi
}

// printableStatus returns a VirtualMachine's status.printableStatus.
func printableStatus(vmi *kubevirtv1.VirtualMachineInstance, wantsInstance,
	disksReady bool) kubevirtv1.VirtualMachinePrintableStatus {
	switch {
	case vmi == nil && !wantsInstance:
		return kubevirtv1.VirtualMachineStatusStopped
	case vmi == nil && !disksReady:
		return kubevirtv1.VirtualMachineStatusProvisioning
	case vmi == nil:
		return kubevirtv1.VirtualMachineStatusStarting
	case vmi.DeletionTimestamp != nil:
		return kubevirtv1.VirtualMachineStatusStopping
	case vmi.Status.Phase == kubevirtv1.Running && paused(vmi):
		return kubevirtv1.VirtualMachineStatusPaused
	case vmi.Status.Phase == kubevirtv1.Running:
		return kubevirtv1.VirtualMachineStatusRunning
	}
	if unscheduled(vmi) {
		return kubevirtv1.VirtualMachineStatusUnschedulable
	}
	return kubevirtv1.VirtualMachineStatusStarting
}

func (v *virtualization) machineStatus(ctx context.Context, vm *kubevirtv1.VirtualMachine,
	vmi *kubevirtv1.VirtualMachineInstance,
	word kubevirtv1.VirtualMachinePrintableStatus) error {
	return framework.WriteStatus(ctx, v.Client, vm, func(vm *kubevirtv1.VirtualMachine) {
		vm.Status.PrintableStatus = word
		vm.Status.Created = vmi != nil && vmi.Status.Phase != "" && vmi.Status.Phase != kubevirtv1.Pending
		vm.Status.ObservedGeneration, vm.Status.DesiredGeneration = vm.Generation, vm.Generation
		ready := kubevirtv1.VirtualMachineCondition{
			Type: kubevirtv1.VirtualMachineReady, Status: corev1.ConditionFalse, Reason: "VMINotExists",
			Message: "VMI does not exist",
		}
		if vmi != nil {
			for _, c := range vmi.Status.Conditions {
				switch c.Type {
				case kubevirtv1.VirtualMachineInstanceReady:
					ready.Status, ready.Reason, ready.Message = c.Status, c.Reason, c.Message
				default:
					setMachineCondition(&vm.Status.Conditions, kubevirtv1.VirtualMachineCondition{
						Type: kubevirtv1.VirtualMachineConditionType(c.Type), Status: c.Status, Reason: c.Reason, Message: c.Message,
					})
				}
			}
		}
		vm.Status.Conditions = slices.DeleteFunc(vm.Status.Conditions, func(c kubevirtv1.VirtualMachineCondition) bool {
			return c.Type != kubevirtv1.VirtualMachineReady &&
				string(c.Type) != string(kubevirtv1.VirtualMachineInstanceIsMigratable) &&
				(vmi == nil || !slices.ContainsFunc(vmi.Status.Conditions,
					func(o kubevirtv1.VirtualMachineInstanceCondition) bool { return string(o.Type) == string(c.Type) }))
		})
		vm.Status.Ready = ready.Status == corev1.ConditionTrue
		setMachineCondition(&vm.Status.Conditions, ready)
	})
}

func setMachineCondition(list *[]kubevirtv1.VirtualMachineCondition, c kubevirtv1.VirtualMachineCondition) {
	c.LastTransitionTime = metav1.Now()
	for i, old := range *list {
		if old.Type != c.Type {
			continue
		}
		if old.Status == c.Status {
			c.LastTransitionTime = old.LastTransitionTime
		}
		(*list)[i] = c
		return
	}
	*list = append(*list, c)
}
