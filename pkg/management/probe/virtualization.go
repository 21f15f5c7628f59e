package probe

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// machineName names the probe's virtual machine.
const machineName = "machine"

func virtualization() Probe {
	return Probe{
		ID: "probe/virtualization", Title: "virtual machine", Name: Virtualization, Unrestricted: true,
		Rests: []step.ID{"virtualization/hyperconverged", "virtualization/kvm", "storage/default-class"},
		Rights: []access.Rule{
			{Verbs: "list", Resources: "nodes storageclasses.storage.k8s.io", Why: "where a VM can run and move to, and the " +
				"class of its disk"},
			{Verbs: "get", Resources: "storageprofiles.cdi.kubevirt.io", Why: "which volumes the disks of VMs are; named as " +
				"the class is"},
			{Verbs: "create", Resources: "persistentvolumeclaims", Why: "an empty disk for a VM"},
			{Verbs: "create", Resources: "virtualmachines.kubevirt.io", Why: "a VM of the smallest size"},
			{Verbs: "list watch", Resources: "virtualmachineinstances.kubevirt.io", Why: "whether the VM runs, and where"},
			{Verbs: "create list watch", Resources: "virtualmachineinstancemigrations.kubevirt.io",
				Why: "a live migration"},
		},
		Run: func(ctx context.Context, s *session) step.Finding { return s.tryMachine(ctx) },
	}
}

// tryMachine starts a VM and migrates it live to another node.
func (s *session) tryMachine(ctx context.Context) step.Finding {
	class, k, f := s.disk(ctx)
	if f != nil {
		return *f
	}
	nodes, err := s.vmNodes(ctx)
	if err != nil {
		return failure(err).On("Nodes")
	}
	if nodes == 0 {
		return step.Broken("no node can run virtual machines").On("Nodes").WithHint("%s",
			hint.Run("check").Flag("only", "virtualization"))
	}
	for _, o := range []client.Object{s.claim(class, k), machine(s.namespace)} {
		if err := s.create(ctx, o); err != nil {
			return failure(err).On("VirtualMachine %s/%s", s.namespace, machineName)
		}
	}
	vmi := &kubevirtv1.VirtualMachineInstance{}
	object := fmt.Sprintf("VirtualMachineInstance %s/%s", s.namespace, machineName)
	found := s.await(ctx, func(ctx context.Context, r kube.Reader) step.Finding {
		if err := r.Get(ctx, client.ObjectKey{Namespace: s.namespace, Name: machineName}, vmi); err != nil {
			if client.IgnoreNotFound(err) == nil {
				return step.Pending("the VM has no instance yet: is its disk there?")
			}
			return kube.Unknown(err)
		}
		return judgeRunning(vmi, r.Now())
	})
	if found.State != step.StateOK {
		return found.On("%s", object)
	}
	if nodes < 2 {
		return step.OK("a VM runs on %s; live migration was not tried, because only one node runs VMs", vmi.Status.NodeName).
			On("%s", object)
	}
	if f := judgeMigratable(vmi, class.Name, k); f.State != step.StateOK {
		return f.On("%s", object)
	}
	return s.tryMigration(ctx, vmi).On("%s", object)
}

// vmNodes counts the nodes that run virtual machines.
func (s *session) vmNodes(ctx context.Context) (int, error) {
	nodes := &corev1.NodeList{}
	if err := s.client.List(ctx, nodes, client.MatchingLabels{kubevirtv1.NodeSchedulable: "true"}); err != nil {
		return 0, err
	}
	n := 0
	for i := range nodes.Items {
		if !nodes.Items[i].Spec.Unschedulable {
			n++
		}
	}
	return n, nil
}

// machine returns a VM without an operating system. It runs its firmware only, so no image has to be pulled.
func machine(namespace string) *kubevirtv1.VirtualMachine {
	return &kubevirtv1.VirtualMachine{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: machineName},
		Spec: kubevirtv1.VirtualMachineSpec{
			RunStrategy: ptr.To(kubevirtv1.RunStrategyAlways),
			Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{
				Spec: kubevirtv1.VirtualMachineInstanceSpec{
					EvictionStrategy:              ptr.To(kubevirtv1.EvictionStrategyLiveMigrate),
					TerminationGracePeriodSeconds: ptr.To[int64](0),
					Domain: kubevirtv1.DomainSpec{
						CPU:    &kubevirtv1.CPU{Cores: 1},
						Memory: &kubevirtv1.Memory{Guest: ptr.To(resource.MustParse("128Mi"))},
						Devices: kubevirtv1.Devices{
							Disks: []kubevirtv1.Disk{{Name: claimName, DiskDevice: kubevirtv1.DiskDevice{
								Disk: &kubevirtv1.DiskTarget{Bus: kubevirtv1.DiskBusVirtio}}}},
							Interfaces: []kubevirtv1.Interface{{Name: "default",
								InterfaceBindingMethod: kubevirtv1.InterfaceBindingMethod{
									Masquerade: &kubevirtv1.InterfaceMasquerade{}}}},
						},
					},
					Networks: []kubevirtv1.Network{{Name: "default",
						NetworkSource: kubevirtv1.NetworkSource{Pod: &kubevirtv1.PodNetwork{}}}},
					Volumes: []kubevirtv1.Volume{{Name: claimName, VolumeSource: kubevirtv1.VolumeSource{
						PersistentVolumeClaim: &kubevirtv1.PersistentVolumeClaimVolumeSource{
							PersistentVolumeClaimVolumeSource: corev1.PersistentVolumeClaimVolumeSource{
								ClaimName: claimName}}}}},
				},
			},
		},
	}
}

// judgeRunning reports the progress of an instance.
func judgeRunning(vmi *kubevirtv1.VirtualMachineInstance, now time.Time) step.Finding {
	if v := health.Of(vmi, now); !v.OK() {
		v.Message = short(v.Message)
		return v.Finding
	}
	return step.OK("it runs on %s", vmi.Status.NodeName)
}

// judgeMigratable reports whether KubeVirt can migrate an instance live.
func judgeMigratable(vmi *kubevirtv1.VirtualMachineInstance, class string, k kind) step.Finding {
	for _, c := range vmi.Status.Conditions {
		if c.Type == kubevirtv1.VirtualMachineInstanceIsMigratable && c.Status == corev1.ConditionFalse {
			f := step.Broken("a VM starts, but cannot be migrated live: %s: %s", c.Reason, short(c.Message))
			if k.access != corev1.ReadWriteMany {
				return f.WithHint("StorageClass %s gives VM disks %s: choose a class with ReadWriteMany, or worker VMs are shut "+
					"down when their node is drained", class, k)
			}
			return f
		}
	}
	return step.OK("")
}

// tryMigration migrates an instance to another node.
func (s *session) tryMigration(ctx context.Context, vmi *kubevirtv1.VirtualMachineInstance) step.Finding {
	from := vmi.Status.NodeName
	m := &kubevirtv1.VirtualMachineInstanceMigration{
		ObjectMeta: metav1.ObjectMeta{Namespace: s.namespace, Name: "migration"},
		Spec:       kubevirtv1.VirtualMachineInstanceMigrationSpec{VMIName: vmi.Name},
	}
	if err := s.create(ctx, m); err != nil {
		return failure(err)
	}
	return s.await(ctx, func(ctx context.Context, r kube.Reader) step.Finding {
		now := &kubevirtv1.VirtualMachineInstanceMigration{}
		if err := r.Get(ctx, client.ObjectKeyFromObject(m), now); err != nil {
			return kube.Unknown(err)
		}
		if err := r.Get(ctx, client.ObjectKeyFromObject(vmi), vmi); err != nil {
			return kube.Unknown(err)
		}
		return judgeMigration(now, vmi, from, r.Now())
	})
}

// judgeMigration reports the progress of a migration away from a node. The reason of a failure is in the instance too.
func judgeMigration(m *kubevirtv1.VirtualMachineInstanceMigration, vmi *kubevirtv1.VirtualMachineInstance,
	from string, now time.Time) step.Finding {
	if m.Status.MigrationState == nil {
		m.Status.MigrationState = vmi.Status.MigrationState
	}
	switch v := health.Of(m, now); {
	case v.State == step.StateBroken:
		return step.Broken("a VM starts on %s, but %s", from, short(v.Message)).
			WithHint("oc get virtualmachineinstancemigrations -A; is there a way between the nodes for migrations?")
	case !v.OK():
		return v.Finding
	case vmi.Status.NodeName == from:
		return step.Pending("the migration has succeeded, but the VM is still on %s", from)
	}
	return step.OK("a VM starts on %s and migrates live to %s", from, vmi.Status.NodeName)
}
