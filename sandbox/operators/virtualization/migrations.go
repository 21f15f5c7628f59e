package virtualization

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	// moveTime is the time of a migration from a ready target to its end.
	moveTime = time.Second
	// migrationPause is the time between two looks at a migration in progress.
	migrationPause = 300 * time.Millisecond
)

// migration reconciles a VirtualMachineInstanceMigration: a second launcher pod on another node, then the move to it.
func (v *virtualization) migration(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	m := &kubevirtv1.VirtualMachineInstanceMigration{ObjectMeta: metav1.ObjectMeta{Namespace: req.Namespace,
		Name: req.Name}}
	found, err := framework.Exists(ctx, v.Client, m)
	if err != nil || !found || m.DeletionTimestamp != nil || m.IsFinal() {
		return reconcile.Result{}, err
	}
	vmi := &kubevirtv1.VirtualMachineInstance{ObjectMeta: metav1.ObjectMeta{Namespace: m.Namespace,
		Name: m.Spec.VMIName}}
	running, err := framework.Exists(ctx, v.Client, vmi)
	switch {
	case err != nil:
		return reconcile.Result{}, err
	case !running || vmi.Status.Phase != kubevirtv1.Running:
		return reconcile.Result{}, v.migrationPhase(ctx, m, kubevirtv1.MigrationFailed)
	}
	target, err := v.migrationTarget(ctx, m, vmi)
	switch {
	case err != nil:
		return reconcile.Result{}, err
	case target == nil || !podReady(target):
		return framework.RequeueAfter(v.Pace.Scale(migrationPause)), v.migrationPhase(ctx, m, kubevirtv1.MigrationScheduling)
	}
	if wait := v.Remaining(moveTime, "move"+string(m.UID)); wait > 0 {
		return framework.RequeueAfter(wait), v.migrationPhase(ctx, m, kubevirtv1.MigrationRunning)
	}
	if v.faulty(fault.MigrationFails, m) {
		return reconcile.Result{}, v.failMigration(ctx, m, vmi, target)
	}
	if err := v.moveTo(ctx, m, vmi, target); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, v.migrationPhase(ctx, m, kubevirtv1.MigrationSucceeded)
}

// migrationTarget returns the launcher pod that a migration moves to. The first call creates it.
func (v *virtualization) migrationTarget(ctx context.Context, m *kubevirtv1.VirtualMachineInstanceMigration,
	vmi *kubevirtv1.VirtualMachineInstance) (*corev1.Pod, error) {
	pods := &corev1.PodList{}
	if err := v.Client.List(ctx, pods, framework.InNamespace(m.Namespace),
		client.MatchingLabels{kubevirtv1.MigrationJobLabel: string(m.UID)}); err != nil {
		return nil, err
	}
	if len(pods.Items) > 0 {
		return &pods.Items[0], nil
	}
	pod := launcherPod(vmi)
	pod.Name = fmt.Sprintf("virt-launcher-%s-%.5s", vmi.Name, m.UID)
	pod.Labels[kubevirtv1.MigrationJobLabel] = string(m.UID)
	pod.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey:   corev1.LabelHostname,
			LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{kubevirtv1.CreatedByLabel: string(vmi.UID)}},
		}},
	}}
	return nil, framework.Create(ctx, v.Client, pod)
}

// failMigration ends a migration that does not converge: the instance stays where it is, its target goes.
func (v *virtualization) failMigration(ctx context.Context, m *kubevirtv1.VirtualMachineInstanceMigration,
	vmi *kubevirtv1.VirtualMachineInstance, target *corev1.Pod) error {
	if err := framework.WriteStatus(ctx, v.Client, vmi, func(vmi *kubevirtv1.VirtualMachineInstance) {
		vmi.Status.MigrationState = &kubevirtv1.VirtualMachineInstanceMigrationState{
			MigrationUID: m.UID, SourceNode: vmi.Status.NodeName, TargetNode: target.Spec.NodeName, TargetPod: target.Name,
			StartTimestamp: ptr.To(m.CreationTimestamp), EndTimestamp: ptr.To(metav1.Now()), Completed: true, Failed: true,
			FailureReason: "Live migration has been aborted",
		}
	}); err != nil {
		return err
	}
	if err := v.migrationPhase(ctx, m, kubevirtv1.MigrationFailed); err != nil {
		return err
	}
	if err := operator.Warn(ctx, v.Live, m, "virtualmachine-controller", "FailedMigration",
		"source node reported migration failed"); err != nil {
		return err
	}
	return framework.Remove(ctx, v.Client, target)
}

// moveTo makes target the pod of an instance and removes the others.
func (v *virtualization) moveTo(ctx context.Context, m *kubevirtv1.VirtualMachineInstanceMigration,
	vmi *kubevirtv1.VirtualMachineInstance, target *corev1.Pod) error {
	if err := framework.WriteStatus(ctx, v.Client, vmi, func(vmi *kubevirtv1.VirtualMachineInstance) {
		now := ptr.To(metav1.Now())
		vmi.Status.MigrationState = &kubevirtv1.VirtualMachineInstanceMigrationState{
			MigrationUID: m.UID, SourceNode: vmi.Status.NodeName, TargetNode: target.Spec.NodeName, TargetPod: target.Name,
			StartTimestamp: ptr.To(m.CreationTimestamp), EndTimestamp: now, Completed: true,
		}
		vmi.Status.NodeName = target.Spec.NodeName
	}); err != nil {
		return err
	}
	pods := &corev1.PodList{}
	if err := v.Client.List(ctx, pods, framework.InNamespace(vmi.Namespace),
		client.MatchingLabels{kubevirtv1.CreatedByLabel: string(vmi.UID)}); err != nil {
		return err
	}
	for i := range pods.Items {
		if pods.Items[i].Name == target.Name {
			continue
		}
		if err := framework.Remove(ctx, v.Client, &pods.Items[i]); err != nil {
			return err
		}
	}
	return nil
}

func (v *virtualization) migrationPhase(ctx context.Context, m *kubevirtv1.VirtualMachineInstanceMigration,
	phase kubevirtv1.VirtualMachineInstanceMigrationPhase) error {
	return framework.WriteStatus(ctx, v.Client, m, func(m *kubevirtv1.VirtualMachineInstanceMigration) {
		if m.Status.Phase == phase {
			return
		}
		m.Status.Phase = phase
		m.Status.PhaseTransitionTimestamps = append(m.Status.PhaseTransitionTimestamps,
			kubevirtv1.VirtualMachineInstanceMigrationPhaseTransitionTimestamp{Phase: phase,
				PhaseTransitionTimestamp: metav1.Now()})
	})
}

// currentPod returns the pod in which an instance runs: the target of its last migration, else the one that no
// migration made; nil if there is none.
func currentPod(vmi *kubevirtv1.VirtualMachineInstance, pods []corev1.Pod) *corev1.Pod {
	uid := ""
	if s := vmi.Status.MigrationState; s != nil && s.Completed && !s.Failed {
		uid = string(s.MigrationUID)
	}
	at := slices.IndexFunc(pods, func(p corev1.Pod) bool { return p.Labels[kubevirtv1.MigrationJobLabel] == uid })
	if at < 0 {
		return nil
	}
	return &pods[at]
}
