package argocd

import (
	"context"
	"fmt"
	"time"

	olmv1alpha1 "github.com/operator-framework/api/pkg/operators/v1alpha1"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/crds"
)

const olm = "operators.coreos.com"

// subscriptions plays the Lifecycle Manager: it makes the InstallPlan of the wanted version, and one of a newer version
// that the catalog offers; an approved plan is carried out.
func (h *hosted) subscriptions(ctx context.Context, c client.WithWatch) error {
	all, err := listAny(ctx, c, olm, "v1alpha1", "Subscription")
	if err != nil {
		return err
	}
	for i := range all {
		s := &all[i]
		wanted, _, _ := unstructured.NestedString(s.Object, "spec", "startingCSV")
		if wanted == "" {
			continue
		}
		approved, err := h.plans(ctx, c, s, wanted)
		if err != nil {
			return err
		}
		at := s.GetCreationTimestamp().UTC().Format(time.RFC3339)
		state := object{"state": string(olmv1alpha1.SubscriptionStateUpgradePending), "currentCSV": wanted, "lastUpdated": at}
		if approved {
			if err := crds.Install(ctx, c, h.argo.Release, crds.HCO, crds.KubeVirt); err != nil {
				return err
			}
			state["installedCSV"] = wanted
		}
		if err := report(ctx, c, s, state); err != nil {
			return err
		}
	}
	return nil
}

// plans makes the InstallPlans of a Subscription, and reports whether that of the wanted version is approved.
func (h *hosted) plans(ctx context.Context, c client.Client, s *unstructured.Unstructured,
	wanted string) (approved bool, err error) {
	for name, csv := range map[string]string{"install-" + suffix(wanted): wanted, "install-newer": wanted + "-newer"} {
		plan := &unstructured.Unstructured{Object: object{"apiVersion": olm + "/v1alpha1", "kind": "InstallPlan",
			"metadata": object{"namespace": s.GetNamespace(), "name": name}, "spec": object{"approval": "Manual",
				"approved": false, "clusterServiceVersionNames": []any{csv}}}}
		err := c.Create(ctx, plan)
		if apierrors.IsAlreadyExists(err) {
			err = c.Get(ctx, client.ObjectKeyFromObject(plan), plan)
		}
		if err != nil {
			return false, err
		}
		phase := olmv1alpha1.InstallPlanPhaseRequiresApproval
		if yes, _, _ := unstructured.NestedBool(plan.Object, "spec", "approved"); yes {
			phase = olmv1alpha1.InstallPlanPhaseComplete
			approved = approved || csv == wanted
		}
		status := object{"phase": string(phase), "catalogSources": []any{}, "plan": []any{}}
		if err := report(ctx, c, plan, status); err != nil {
			return false, err
		}
	}
	return approved, nil
}

// suffix is the end of a version's name that may be in the name of an object.
func suffix(csv string) string {
	for i := len(csv) - 1; i >= 0; i-- {
		if csv[i] == 'v' {
			return csv[i+1:]
		}
	}
	return csv
}

// hyperConverged plays the operator of OpenShift Virtualization.
func (h *hosted) hyperConverged(ctx context.Context, c client.Client) error {
	all, err := listAny(ctx, c, "hco.kubevirt.io", "v1beta1", "HyperConverged")
	if err != nil {
		return err
	}
	for i := range all {
		u := &all[i]
		const done = "ReconcileCompleted"
		if err := report(ctx, c, u, object{"conditions": []any{condition(u, "ReconcileComplete", "True", done),
			condition(u, "Available", "True", done), condition(u, "Progressing", "False", done),
			condition(u, "Degraded", "False", done)}}); err != nil {
			return err
		}
	}
	return nil
}

// machines plays KubeVirt: a VirtualMachine is stopped or runs at once, as its runStrategy says.
func machines(ctx context.Context, c client.Client) error {
	all, err := listAny(ctx, c, "kubevirt.io", "v1", "VirtualMachine")
	if err != nil {
		return err
	}
	for i := range all {
		u := &all[i]
		state := object{"printableStatus": "Stopped", "created": false, "ready": false,
			"conditions": []any{condition(u, "Ready", "False", "VMINotExists")}}
		if strategy, _, _ := unstructured.NestedString(u.Object, "spec", "runStrategy"); strategy == "Always" {
			state = object{"printableStatus": "Running", "created": true, "ready": true,
				"conditions": []any{condition(u, "Ready", "True", "")}}
		}
		if err := report(ctx, c, u, state); err != nil {
			return err
		}
	}
	return nil
}

// runJob starts the program of a Job, and writes how it ended.
func (h *hosted) runJob(ctx context.Context, c client.Client, config *rest.Config, u *unstructured.Unstructured) error {
	work := &batchv1.Job{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, work); err != nil {
		return err
	}
	if work.Status.CompletionTime != nil || work.Status.Failed > 0 || len(work.Spec.Template.Spec.Containers) != 1 {
		return nil
	}
	run := h.jobs[work.UID]
	if run == nil {
		run = &job{done: make(chan struct{})}
		h.jobs[work.UID] = run
		go func() {
			defer close(run.done)
			if spec := &work.Spec.Template.Spec; h.argo.Runner.Runs(&spec.Containers[0]) {
				run.code, run.output = h.argo.Runner.Run(ctx, config, work.Namespace, spec)
			}
		}()
	}
	select {
	case <-run.done:
	default:
		return nil
	}
	if run.code != 0 {
		h.argo.Log.Info("a Job in a hosted cluster failed", "job", work.Name, "code", run.code, "output", run.output)
	}
	return report(ctx, c, u, outcome(run))
}

// outcome is the status of a Job whose program has ended.
func outcome(run *job) object {
	now := time.Now().UTC().Format(time.RFC3339)
	terms := func(kinds ...string) (all []any) {
		for _, kind := range kinds {
			all = append(all, object{"type": kind, "status": "True", "reason": "", "lastTransitionTime": now,
				"message": fmt.Sprintf("exit code %d", run.code), "lastProbeTime": now})
		}
		return all
	}
	if run.code == 0 {
		return object{"startTime": now, "completionTime": now, "succeeded": int64(1),
			"conditions": terms("SuccessCriteriaMet", "Complete")}
	}
	return object{"startTime": now, "failed": int64(1), "conditions": terms("FailureTarget", "Failed")}
}
