package deletion

import (
	"context"
	"fmt"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// progress returns the progress of a deletion in the operator's order (v0.1.80): NodePools, Cluster API's objects, the
// HostedControlPlane with the guest's resources, its namespace, and the HostedCluster's finalizers.
func (d *Plan) progress(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	pools, err := d.nodePools(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("NodePools in namespace %s", d.Namespace)
	}
	if len(pools) > 0 {
		return d.poolProgress(ctx, r, &pools[0])
	}
	ns, err := d.controlPlane(ctx, r)
	if err != nil {
		return kube.Unknown(err).On("Namespace %s", d.controlPlaneName())
	}
	if ns == nil {
		return lastFinalizers(hc)
	}
	if ns.DeletionTimestamp != nil {
		return d.remainingFinding(ctx, r, ns)
	}
	hcp, err := d.hostedControlPlane(ctx, r)
	switch {
	case err != nil && !kube.IsKindMissing(err):
		return kube.Unknown(err).On("HostedControlPlane %s/%s", ns.Name, d.Name)
	case hcp == nil:
		return step.Pending("the control plane is being removed").On("Namespace %s", ns.Name)
	case hcp.DeletionTimestamp == nil:
		if f, is := d.infrastructureProgress(ctx, r); is {
			return f
		}
		return step.Pending("its operator has not begun with the control plane").On("HostedControlPlane %s", kube.Name(hcp))
	}
	return d.cleanupProgress(ctx, r, hc, hcp)
}

// cleanupProgress returns the progress of a HostedControlPlane in deletion. The guest's resources are removed first.
func (d *Plan) cleanupProgress(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster,
	hcp *hyperv1.HostedControlPlane) step.Finding {
	c := kube.ConditionOf(hcp, hcp.Status.Conditions, string(hyperv1.CloudResourcesDestroyed))
	if !wantsCleanup(hcp) || c.True() || terminalCleanup(c.Reason) {
		f := deletingFinding(hcp, "the control plane is being removed").On("HostedControlPlane %s", kube.Name(hcp))
		if c.False() {
			f.Message += fmt.Sprintf("; not all was cleaned up: %s: %s", c.Reason, c.Message)
		}
		return d.withPlaneOperatorDown(ctx, r, f, hcp.Namespace)
	}
	left, over := d.graceLeft(hc, hcp)
	if over {
		return step.Missing("cleaning up has taken longer than %s: its operator continues without it (%s)",
			d.options.GracePeriod, cleanupMessage(c)).
			On("HostedCluster %s", kube.Name(hc))
	}
	f := step.Pending("%s", cleanupMessage(c)).On("HostedControlPlane %s", kube.Name(hcp)).
		WithHint("to continue without: %s", hint.Run("delete cluster", d.Name).Flag("namespace",
			d.Namespace).Flag("destroy-cloud-resources=false"))
	if leftovers := d.guestLeftovers(ctx, r); leftovers != "" {
		f.Message += "; there are still " + leftovers
	}
	f = d.withPlaneOperatorDown(ctx, r, f, hcp.Namespace)
	if left > 0 {
		f = f.RecheckAfter(left)
	}
	return f
}

// terminalCleanup reports whether the operator continues although the cleanup is not complete: the hosted API server
// never ran or does not answer, or there was no progress for 10 minutes. The API module has no constant for the last
// reason yet.
func terminalCleanup(reason string) bool {
	return reason == hyperv1.CloudResourcesCleanupSkippedReason || strings.HasSuffix(reason, "DeletionTimedOut")
}

// cleanupMessage returns the condition CloudResourcesDestroyed as text.
func cleanupMessage(c kube.Condition) string {
	if c.Status == "" || c.Status == string(metav1.ConditionUnknown) && c.Message == "" {
		return "volumes and load balancers of the hosted cluster are being removed"
	}
	return c.Describe()
}

// guestVolumePrefix begins the names of the KubeVirt storage driver's volumes.
const guestVolumePrefix = "pvc-"

// guestLeftovers lists the guest's remaining load balancers and volumes. It omits what cannot be read.
func (d *Plan) guestLeftovers(ctx context.Context, r kube.Reader) string {
	in := client.InNamespace(d.controlPlaneName())
	var leftovers []string
	var services corev1.ServiceList
	if err := r.List(ctx, &services, in); err == nil {
		for i := range services.Items {
			s := &services.Items[i]
			if of := hostedcluster.MirroredService(s); of != "" {
				leftovers = append(leftovers, fmt.Sprintf("Service %s of the guest's %s%s", kube.Name(s), of,
					heldBySuffix(kube.Finalizers(s))))
			}
		}
	}
	var claims corev1.PersistentVolumeClaimList
	if err := r.List(ctx, &claims, in); err == nil {
		for i := range claims.Items {
			if c := &claims.Items[i]; strings.HasPrefix(c.Name, guestVolumePrefix) {
				leftovers = append(leftovers,
					fmt.Sprintf("PersistentVolumeClaim %s of the guest%s", kube.Name(c), heldBySuffix(kube.Finalizers(c))))
			}
		}
	}
	return plural.Few(leftovers, maxNamed)
}

func heldBySuffix(finalizers string) string {
	if finalizers == "" {
		return ""
	}
	return ", held by " + finalizers
}

// lastFinalizers returns the finding about a HostedCluster when everything else is gone.
func lastFinalizers(hc *hyperv1.HostedCluster) step.Finding {
	if c := kube.ConditionOf(hc, hc.Status.Conditions, string(hyperv1.HostedClusterDestroyed)); c.True() {
		return step.Pending("all of it is gone; it stays as long as its annotation %s asks: %s",
			hyperv1.HCDestroyGracePeriodAnnotation, c.Message).
			On("HostedCluster %s", kube.Name(hc))
	}
	return deletingFinding(hc, "all else of it is gone").On("HostedCluster %s", kube.Name(hc))
}

// withOperatorDown is withDown for the HyperShift operator.
func (d *Plan) withOperatorDown(ctx context.Context, r kube.Reader, f step.Finding) step.Finding {
	return d.withDown(ctx, r, f, hostedcluster.OperatorNamespace, "operator", hint.New(
		"nothing happens until the HyperShift operator runs again: oc -n hypershift get pods; %s", hint.Run("check")))
}

// withPlaneOperatorDown is withDown for the operator of the control plane in a namespace.
func (d *Plan) withPlaneOperatorDown(ctx context.Context, r kube.Reader, f step.Finding,
	namespace string) step.Finding {
	return d.withDown(ctx, r, f, namespace, "control-plane-operator", hint.New("the controller that removes the control "+
		"plane is not running: oc -n %s get pods -l name=control-plane-operator", namespace))
}

// withDown adds to a finding that a Deployment has no ready pod, and replaces the hint then.
func (d *Plan) withDown(ctx context.Context, r kube.Reader, f step.Finding, namespace, name string,
	next hint.Text) step.Finding {
	if down := d.deploymentDown(ctx, r, namespace, name); down != "" {
		f.Message += "; " + down
		f.Hint = next
	}
	return f
}

// deploymentDown returns why a Deployment has no ready pod; empty if it has one, does not exist, or cannot be read.
func (d *Plan) deploymentDown(ctx context.Context, r kube.Reader, namespace, name string) string {
	deploy := &appsv1.Deployment{}
	if err := r.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, deploy); err != nil ||
		health.ReadyPods(deploy) > 0 {
		return ""
	}
	v := health.Of(deploy, r.Now(), health.Wanting(1))
	return v.Object + " has no ready pod: " + v.Message
}
