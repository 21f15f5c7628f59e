package cluster

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// awaited is an object that an operator makes again in each run.
type awaited struct{ Kind, Name string }

const (
	kindAPIService = "APIService"
	kindValidating = "ValidatingWebhookConfiguration"
	kindMutating   = "MutatingWebhookConfiguration"
)

// perRun lists the objects in the cluster that name this run's ports and certificates.
func perRun(ctx context.Context, c client.Client) ([]awaited, error) {
	var (
		out        []awaited
		services   apiregistrationv1.APIServiceList
		validating admissionregistrationv1.ValidatingWebhookConfigurationList
		mutating   admissionregistrationv1.MutatingWebhookConfigurationList
	)
	for _, list := range []client.ObjectList{&services, &validating, &mutating} {
		if err := c.List(ctx, list); err != nil {
			return nil, fmt.Errorf("list objects of this run: %w", err)
		}
	}
	for i := range services.Items {
		if services.Items[i].Spec.Service != nil {
			out = append(out, awaited{kindAPIService, services.Items[i].Name})
		}
	}
	for i := range validating.Items {
		out = append(out, awaited{kindValidating, validating.Items[i].Name})
	}
	for i := range mutating.Items {
		out = append(out, awaited{kindMutating, mutating.Items[i].Name})
	}
	return out, nil
}

// awaitAll returns once every object in list is there again, and aggregated APIs answer. The error says what is
// missing.
func awaitAll(ctx context.Context, c client.Client, list []awaited) error {
	var missing []string
	err := wait.PollUntilContextCancel(ctx, 50*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		missing = nil
		for _, a := range list {
			if !a.there(ctx, c) {
				missing = append(missing, a.Kind+" "+a.Name)
			}
		}
		return len(missing) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("the operators have not brought back %s: %w", strings.Join(missing, ", "), err)
	}
	return nil
}

// listens tells whether somebody takes connections where a webhook is.
func listens(ctx context.Context, at admissionregistrationv1.WebhookClientConfig) bool {
	if at.URL == nil {
		return true
	}
	u, err := url.Parse(*at.URL)
	if err != nil {
		return false
	}
	conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// there says whether the object is there now; an API server that does not answer has it not.
func (a awaited) there(ctx context.Context, c client.Client) bool {
	key := client.ObjectKey{Name: a.Name}
	switch a.Kind {
	case kindValidating:
		hooks := &admissionregistrationv1.ValidatingWebhookConfiguration{}
		if c.Get(ctx, key, hooks) != nil {
			return false
		}
		for i := range hooks.Webhooks {
			if !listens(ctx, hooks.Webhooks[i].ClientConfig) {
				return false
			}
		}
		return true
	case kindMutating:
		hooks := &admissionregistrationv1.MutatingWebhookConfiguration{}
		if c.Get(ctx, key, hooks) != nil {
			return false
		}
		for i := range hooks.Webhooks {
			if !listens(ctx, hooks.Webhooks[i].ClientConfig) {
				return false
			}
		}
		return true
	}
	service := &apiregistrationv1.APIService{}
	if c.Get(ctx, key, service) != nil {
		return false
	}
	for _, cond := range service.Status.Conditions {
		if cond.Type == apiregistrationv1.Available {
			return cond.Status == apiregistrationv1.ConditionTrue
		}
	}
	return false
}
