package kube

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// WebhookError is the error of a write whose admission webhook did not answer, with the Deployment that serves the
// webhook.
type WebhookError struct {
	error
	// Namespace and Name are those of the Deployment.
	Namespace, Name string
	// Replicas is the desired number of pods, Ready the number of ready ones.
	Replicas, Ready int32
}

// Unwrap returns the API server's error.
func (e *WebhookError) Unwrap() error { return e.error }

// describe returns the Deployment that serves the webhook and, if known, why it does not answer.
func (e *WebhookError) describe() string {
	server := fmt.Sprintf("Deployment %s/%s, which serves it, ", e.Namespace, e.Name)
	switch {
	case e.Replicas == 0:
		return "a webhook does not answer: " + server + "is scaled to 0: " + trim(e.error)
	case e.Ready == 0:
		return "a webhook does not answer yet: " + server + "has no pod that is ready: " + trim(e.error)
	}
	return "a webhook does not answer yet: " + server + "is up: " + trim(e.error)
}

// Hint returns the command that the user can run next.
func (e *WebhookError) Hint() hint.Text {
	if e.Replicas == 0 {
		return hint.New("oc scale deployment/%s -n %s --replicas=1", e.Name, e.Namespace)
	}
	if e.Ready > 0 {
		return hint.New("oc get pods,endpointslices -n %s; %s (Webhook)", e.Namespace, hint.Run("docs", "troubleshooting"))
	}
	return hint.New("oc get pods,events -n %s", e.Namespace)
}

// webhookClient looks up the Deployment behind a webhook that does not answer a write.
type webhookClient struct{ client.Client }

func (c webhookClient) Create(ctx context.Context, obj client.Object, opts ...client.WriteOption) error {
	return c.explain(ctx, c.Client.Create(ctx, obj, opts...))
}

func (c webhookClient) Patch(ctx context.Context, obj client.Object, patch client.Patch,
	opts ...client.WriteOption) error {
	return c.explain(ctx, c.Client.Patch(ctx, obj, patch, opts...))
}

func (c webhookClient) Apply(ctx context.Context, obj *unstructured.Unstructured, opts ...client.WriteOption) error {
	return c.explain(ctx, c.Client.Apply(ctx, obj, opts...))
}

func (c webhookClient) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	return c.explain(ctx, c.Client.Delete(ctx, obj, opts...)) //nolint:forbidigo // the caller passes the preconditions
}

// explain returns the error of a write, as *WebhookError if the Deployment behind the failed webhook is known.
func (c webhookClient) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	namespace, name := WebhookService(err)
	if name == "" {
		return err
	}
	service, deployments := &corev1.Service{}, &appsv1.DeploymentList{}
	key := client.ObjectKey{Namespace: namespace, Name: name}
	if c.Get(ctx, key, service) != nil || len(service.Spec.Selector) == 0 ||
		c.List(ctx, deployments, client.InNamespace(key.Namespace)) != nil {
		return err
	}
	selector := labels.SelectorFromSet(service.Spec.Selector)
	for i := range deployments.Items {
		if d := &deployments.Items[i]; selector.Matches(labels.Set(d.Spec.Template.Labels)) {
			replicas := int32(1)
			if d.Spec.Replicas != nil {
				replicas = *d.Spec.Replicas
			}
			return &WebhookError{err, d.Namespace, d.Name, replicas, d.Status.ReadyReplicas}
		}
	}
	return err
}
