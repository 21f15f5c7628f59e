package restore

import (
	"context"
	"fmt"
	"io"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/backup/podexec"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	// podName is the name of the pod that mounts the volume of member 0 while etcd is stopped.
	podName      = "hcctl-etcd-restore"
	podContainer = "restore"
	// podSeconds is the deadline of the pod, for the case that hcctl does not remove it.
	podSeconds = 4 * 60 * 60
)

// restoreScript reads the snapshot from stdin and compares its hash with $1. It restores the data beside the old data
// and then replaces them, as HyperShift's own etcd-init does. $2 has the members, $3 the URL of member 0. etcd 3.6
// (OpenShift 4.21) has the restore in etcdutl, older versions have it in etcdctl.
const restoreScript = `set -e
rm -rf /var/lib/restore
cat >/tmp/snapshot.db
if [ "$(sha256sum </tmp/snapshot.db)" != "$1  -" ]; then
  echo "the snapshot did not arrive whole" >&2
  exit 1
fi
if etcdutl version >/dev/null 2>&1; then tool=etcdutl; else tool=etcdctl; fi
ETCDCTL_API=3 $tool snapshot restore /tmp/snapshot.db --data-dir=/var/lib/restore --name=etcd-0 \
  --initial-cluster-token=etcd-cluster --initial-cluster="$2" --initial-advertise-peer-urls="$3"
rm -rf /var/lib/data
mv /var/lib/restore /var/lib/data
rm -f /tmp/snapshot.db
`

// peerURL returns the URL of a member for its peers (control-plane-operator, v2/etcd/statefulset.go).
func (p *Plan) peerURL(member int32) string {
	return fmt.Sprintf("https://etcd-%d.etcd-discovery.%s.svc:2380", member, p.plane())
}

// members returns the members of the restored etcd in the form of --initial-cluster.
func (p *Plan) members() string {
	var list []string
	for i := range p.mark.Replicas["etcd"] {
		list = append(list, fmt.Sprintf("etcd-%d=%s", i, p.peerURL(i)))
	}
	return strings.Join(list, ",")
}

// pod reads the pod. If it is not hcctl's or is being deleted, the result has a finding.
func (p *Plan) pod(ctx context.Context, r kube.Reader) (*corev1.Pod, readResult) {
	pod := &corev1.Pod{}
	s := p.readPlaneObject(ctx, r, "Pod", podName, pod)
	var f step.Finding
	switch {
	case !s.found:
		return pod, s
	case pod.Labels[kube.ManagedByLabel] != kube.FieldOwner:
		f = step.Broken("is not hcctl's").On("%s", s.on)
	case pod.DeletionTimestamp != nil:
		f = step.Pending("is being deleted").On("%s", s.on)
	default:
		return pod, s
	}
	s.finding = &f
	return pod, s
}

func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodFailed || pod.Status.Phase == corev1.PodSucceeded
}

// podReady is OK once the pod is ready.
func (p *Plan) podReady(ctx context.Context, r kube.Reader) step.Finding {
	pod, s := p.pod(ctx, r)
	switch {
	case s.finding != nil:
		return *s.finding
	case !s.found:
		return step.Missing("does not exist").On("%s", s.on)
	case ended(pod):
		return step.Missing("has ended").On("%s", s.on)
	}
	v := health.Of(pod, r.Now())
	if v.OK() {
		return step.OK("runs").On("%s", s.on)
	}
	return v.Waiting().On("%s", s.on)
}

// createPod creates the pod with the image, scheduling, service account and security context of etcd.
func (p *Plan) createPod(ctx context.Context) (step.Change, error) {
	if old, s := p.pod(ctx, p.client); s.finding == nil && s.found && ended(old) {
		return p.removePod(ctx)
	}
	set := &appsv1.StatefulSet{}
	if err := p.client.Get(ctx, client.ObjectKey{Namespace: p.plane(), Name: "etcd"}, set); err != nil {
		return "", fmt.Errorf("StatefulSet %s/etcd: %w", p.plane(), err)
	}
	image := ""
	for i := range set.Spec.Template.Spec.Containers {
		if c := &set.Spec.Template.Spec.Containers[i]; c.Name == "etcd" {
			image = c.Image
		}
	}
	of := set.Spec.Template.Spec
	return p.client.CreateOnce(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: p.plane(), Name: podName},
		Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever, ActiveDeadlineSeconds: ptr.To[int64](podSeconds),
			TerminationGracePeriodSeconds: ptr.To[int64](1), AutomountServiceAccountToken: ptr.To(false),
			ServiceAccountName: of.ServiceAccountName, ImagePullSecrets: of.ImagePullSecrets,
			SecurityContext: of.SecurityContext, NodeSelector: of.NodeSelector, Tolerations: of.Tolerations,
			PriorityClassName: of.PriorityClassName,
			Containers: []corev1.Container{{
				Name: podContainer, Image: image, Command: []string{"/bin/sh", "-c", "while true; do sleep 1000; done"},
				VolumeMounts: []corev1.VolumeMount{{Name: "data", MountPath: "/var/lib"}},
				SecurityContext: &corev1.SecurityContext{
					AllowPrivilegeEscalation: ptr.To(false),
					Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
				},
			}},
			Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
				PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claimName(0)}}}},
		},
	})
}

// dataMissing returns the finding for data that are not restored yet.
func (p *Plan) dataMissing(context.Context, kube.Reader) step.Finding {
	return step.Missing("has data from before the restore").On("PersistentVolumeClaim %s/%s", p.plane(), claimName(0))
}

// restoreData sends the snapshot, restores it and marks the volume claim. If it is interrupted, the next run starts it
// again.
func (p *Plan) restoreData(ctx context.Context) (step.Change, error) {
	if !p.Planning {
		if err := p.send(ctx); err != nil {
			return "", err
		}
	}
	claim := &corev1.PersistentVolumeClaim{}
	if err := p.client.Get(ctx, client.ObjectKey{Namespace: p.plane(), Name: claimName(0)}, claim); err != nil {
		return "", fmt.Errorf("PersistentVolumeClaim %s/%s: %w", p.plane(), claimName(0), err)
	}
	return hostedcluster.Edit(ctx, p.client, claim, map[string]any{
		"metadata": map[string]any{"annotations": map[string]any{DataAnnotation: p.mark.ID}}})
}

// send runs restoreScript with the snapshot as stdin.
func (p *Plan) send(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	out, in := io.Pipe()
	sent := make(chan error, 1)
	go func() {
		err := p.snapshot(ctx, in)
		_ = in.CloseWithError(err)
		sent <- err
	}()
	err := p.exec(ctx, podexec.Command{
		Namespace: p.plane(), Pod: podName, Container: podContainer, Stdin: out,
		Args: []string{"/bin/sh", "-c", restoreScript, "sh", p.mark.Snapshot, p.members(), p.peerURL(0)},
	})
	_ = out.CloseWithError(io.ErrClosedPipe)
	if read := <-sent; read != nil && err == nil {
		return read
	}
	return err
}

// podGone is OK once the pod does not exist, so that the volume is free.
func (p *Plan) podGone(ctx context.Context, r kube.Reader) step.Finding {
	switch _, s := p.pod(ctx, r); {
	case s.finding != nil:
		return *s.finding
	case s.found:
		return step.Missing("has the volume of etcd-0").On("%s", s.on)
	default:
		return step.OK("gone").On("%s", s.on)
	}
}

// removePod deletes the pod by the UID that it has read.
func (p *Plan) removePod(ctx context.Context) (step.Change, error) {
	pod, s := p.pod(ctx, p.client)
	if s.finding != nil || !s.found {
		return step.Unchanged, nil // the check reports its state
	}
	return p.client.DeleteByUID(ctx, pod)
}
