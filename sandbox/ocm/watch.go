package main

import (
	"context"
	"errors"
	"strings"
	"sync"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

// clusterFlag is the agent's flag with the name of its cluster.
const clusterFlag = "--spoke-cluster-name="

// watchAgent runs the agents of a namespace while their Deployment is Available, until ctx ends.
func watchAgent(ctx context.Context, config *rest.Config, opts options) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	agents := &agents{start: (&agentRun{config: config, client: client, opts: opts}).run}
	defer agents.use(ctx, "")
	_, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: cache.NewListWatchFromClient(client.AppsV1().RESTClient(), "deployments", opts.namespace,
			fields.OneTermEqualSelector("metadata.name", opts.deployment)),
		ObjectType: &appsv1.Deployment{},
		Handler: cache.ResourceEventHandlerFuncs{
			AddFunc:    func(o any) { agents.use(ctx, clusterOf(o)) },
			UpdateFunc: func(_, o any) { agents.use(ctx, clusterOf(o)) },
			DeleteFunc: func(any) { agents.use(ctx, "") },
		},
	})
	informer.Run(ctx.Done())
	if ctx.Err() != nil {
		return nil
	}
	return errors.New("the watch of the agent's Deployment has ended")
}

// clusterOf returns the cluster whose agents a Deployment runs, or "" while it is not Available.
func clusterOf(o any) string {
	d, ok := o.(*appsv1.Deployment)
	if !ok || d.DeletionTimestamp != nil {
		return ""
	}
	for _, c := range d.Status.Conditions {
		if c.Type != appsv1.DeploymentAvailable || c.Status != corev1.ConditionTrue || d.Status.AvailableReplicas == 0 {
			continue
		}
		for _, container := range d.Spec.Template.Spec.Containers {
			for _, arg := range container.Args {
				if name, ok := strings.CutPrefix(arg, clusterFlag); ok {
					return name
				}
			}
		}
	}
	return ""
}

// agents are those of one cluster at a time.
type agents struct {
	start func(ctx context.Context, cluster string)

	mu      sync.Mutex
	cluster string
	stop    context.CancelFunc
	ended   chan struct{}
}

// use runs the agents of a cluster, and ends those of any other first; "" is none.
func (a *agents) use(ctx context.Context, cluster string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cluster == cluster {
		return
	}
	if a.stop != nil {
		a.stop()
		<-a.ended
		a.stop = nil
	}
	a.cluster = cluster
	if cluster == "" {
		return
	}
	ctx, a.stop = context.WithCancel(ctx)
	ended := make(chan struct{})
	a.ended = ended
	go func() {
		defer close(ended)
		a.start(ctx, cluster)
	}()
}
