package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/openshift/library-go/pkg/controller/controllercmd"
	"github.com/openshift/library-go/pkg/operator/events"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"
	ocmfeature "open-cluster-management.io/api/feature"
	"open-cluster-management.io/ocm/pkg/features"
	placement "open-cluster-management.io/ocm/pkg/placement/controllers"
	registration "open-cluster-management.io/ocm/pkg/registration/hub"
	work "open-cluster-management.io/ocm/pkg/work/hub"
)

const (
	// hubNamespace is where the hub's controllers run in reality.
	hubNamespace = "open-cluster-management-hub"
	// The controllers' request limits are those of the vendor's commands.
	hubQPS, hubBurst = 50, 100
)

// controller is one of the vendor's, as its command starts it.
type controller func(context.Context, *controllercmd.ControllerContext) error

// run runs the hub's controllers, and the agents while their Deployment is Available, until ctx ends or one fails.
func run(ctx context.Context, opts options) error {
	// These are the vendor's defaults.
	if err := errors.Join(
		features.HubMutableFeatureGate.Add(ocmfeature.DefaultHubRegistrationFeatureGates),
		features.SpokeMutableFeatureGate.Add(ocmfeature.DefaultSpokeRegistrationFeatureGates),
		features.SpokeMutableFeatureGate.Add(ocmfeature.DefaultSpokeWorkFeatureGates),
	); err != nil {
		return fmt.Errorf("feature gates: %w", err)
	}
	config, err := clientcmd.BuildConfigFromFlags("", opts.kubeconfig)
	if err != nil {
		return err
	}
	if opts.agentsOnly {
		return watchAgent(ctx, config, opts)
	}
	controllers := map[string]controller{
		"registration": registration.NewHubManagerOptions().RunControllerManager,
		"placement":    placement.RunControllerManager,
		"work":         work.NewWorkHubManagerConfig(work.NewWorkHubManagerOptions()).RunWorkHubManager,
	}
	ended := make(chan error, len(controllers)+1)
	for name, start := range controllers {
		go func() {
			err := start(ctx, contextOf(config, name, hubNamespace))
			ended <- fmt.Errorf("the hub's %s controllers have ended: %w", name, err)
		}()
	}
	go func() { ended <- watchAgent(ctx, config, opts) }()
	select {
	case <-ctx.Done():
		return nil
	case err := <-ended:
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
}

// contextOf returns what a vendor's command gives its controllers. The events of the controllers' own doings go to the
// log; those about clusters and placements go to the API server, as in reality.
func contextOf(config *rest.Config, component, namespace string) *controllercmd.ControllerContext {
	own := rest.CopyConfig(config)
	own.QPS, own.Burst = hubQPS, hubBurst
	return &controllercmd.ControllerContext{
		KubeConfig: own, OperatorNamespace: namespace,
		EventRecorder: events.NewLoggingEventRecorder(component, clock.RealClock{}),
	}
}
