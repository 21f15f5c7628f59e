package main

import (
	"context"
	"testing"
	"time"

	"github.com/operator-framework/operator-lifecycle-manager/pkg/api/client/clientset/versioned"
	"github.com/operator-framework/operator-lifecycle-manager/pkg/lib/clients"
	"github.com/operator-framework/operator-lifecycle-manager/pkg/lib/operatorclient"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
)

// clientHolder has the same fields as the catalog operator, with clients made like its own.
type clientHolder struct {
	client        versioned.Interface
	opClient      operatorclient.ClientInterface
	dynamicClient dynamic.Interface
	clientFactory clients.Factory
}

func TestRaiseLimits(t *testing.T) {
	config := &rest.Config{Host: "https://127.0.0.1:1"}
	h := &clientHolder{clientFactory: clients.NewFactory(config)}
	var err error
	if h.client, err = versioned.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	if h.opClient, err = operatorclient.NewClientFromRestConfig(config); err != nil {
		t.Fatal(err)
	}
	if h.dynamicClient, err = dynamic.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	if err := raiseLimits(h, 20); err != nil {
		t.Fatal(err)
	}
	later, err := h.clientFactory.NewOperatorClient()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]rest.Interface{
		"OLM's kinds": h.client.OperatorsV1alpha1().RESTClient(),
		"roles":       h.opClient.KubernetesInterface().RbacV1().RESTClient(),
		"CRDs":        h.opClient.ApiextensionsInterface().ApiextensionsV1().RESTClient(),
		"made later":  later.KubernetesInterface().RbacV1().RESTClient(),
	} {
		// Within two seconds client-go allows 20 requests, and at 20 times the speed far more than 40. Wait fails at
		// once if it would exceed the deadline.
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		for i := range 40 {
			if err := c.GetRateLimiter().Wait(ctx); err != nil {
				t.Errorf("client for %s: request %d: %v", name, i+1, err)
				break
			}
		}
	}
}

func TestRaiseLimitsRefusesWhatItDoesNotKnow(t *testing.T) {
	if err := raiseLimits(&struct{ client versioned.Interface }{}, 2); err == nil {
		t.Error("no error for an operator without clients")
	}
}
