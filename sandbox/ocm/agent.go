package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"
	commonoptions "open-cluster-management.io/ocm/pkg/common/options"
	registration "open-cluster-management.io/ocm/pkg/registration/spoke"
	work "open-cluster-management.io/ocm/pkg/work/spoke"
)

const (
	// bootstrapSecret has the kubeconfig with which an agent asks the hub for its own.
	bootstrapSecret = "bootstrap-hub-kubeconfig"
	// restartDelay is the delay before ended agents start again, like that of a crashed container.
	restartDelay = time.Second
	// addonDelay is the vendor's delay between two looks at the leases of addons, minAddonDelay the shortest here.
	addonDelay, minAddonDelay = 30 * time.Second, time.Second
)

// agentRun runs the agents of a cluster.
type agentRun struct {
	config *rest.Config
	client kubernetes.Interface
	opts   options
}

// run runs the agents of a cluster until ctx ends, and starts them again when they end before.
func (r *agentRun) run(ctx context.Context, cluster string) {
	for ctx.Err() == nil {
		if err := r.once(ctx, cluster); err != nil && ctx.Err() == nil {
			klog.ErrorS(err, "The agents have ended", "cluster", cluster)
		}
		select {
		case <-ctx.Done():
		case <-time.After(restartDelay):
		}
	}
}

func (r *agentRun) once(ctx context.Context, cluster string) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	dir, err := os.MkdirTemp(r.opts.dir, "agent-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a scratch directory
	secret, err := r.client.CoreV1().Secrets(r.opts.namespace).Get(ctx, bootstrapSecret, metav1.GetOptions{})
	if err != nil {
		return fmt.Errorf("read the bootstrap kubeconfig: %w", err)
	}
	bootstrap, hub := filepath.Join(dir, "bootstrap"), filepath.Join(dir, "hub")
	if err := errors.Join(os.WriteFile(bootstrap, secret.Data["kubeconfig"], 0o600), os.Mkdir(hub, 0o700)); err != nil {
		return err
	}
	ended := make(chan error, 2)
	go func() { ended <- r.registration(ctx, stop, cluster, bootstrap, hub) }()
	go func() { ended <- r.work(ctx, cluster, hub) }()
	err = <-ended
	stop()
	return errors.Join(err, <-ended)
}

// common returns the options that both agents have. They change them, so each gets its own.
func (r *agentRun) common(cluster, hub string) *commonoptions.AgentOptions {
	common := commonoptions.NewAgentOptions()
	common.ComponentNamespace, common.SpokeClusterName = r.opts.namespace, cluster
	common.HubKubeconfigDir, common.HubKubeconfigFile = hub, filepath.Join(hub, "kubeconfig")
	common.SpokeKubeconfigFile = r.opts.kubeconfig
	common.HubQPS, common.HubBurst = hubQPS, hubBurst
	return common
}

func (r *agentRun) registration(ctx context.Context, stop context.CancelFunc, cluster, bootstrap, hub string) error {
	registration.AddOnLeaseControllerSyncInterval = max(minAddonDelay,
		time.Duration(float64(addonDelay)/r.opts.speed))
	opts := registration.NewSpokeAgentOptions()
	opts.BootstrapKubeconfig, opts.BootstrapKubeconfigSecret = bootstrap, bootstrapSecret
	agent := registration.NewSpokeAgentConfig(r.common(cluster, hub), opts, stop)
	return agent.RunSpokeAgent(ctx, contextOf(r.config, "registration-agent", r.opts.namespace))
}

// work runs the work agent, once the registration agent has the hub's kubeconfig.
func (r *agentRun) work(ctx context.Context, cluster, hub string) error {
	opts := work.NewWorkloadAgentOptions()
	opts.WorkloadSourceConfig = filepath.Join(hub, "kubeconfig")
	err := wait.PollUntilContextCancel(ctx, 200*time.Millisecond, true, func(context.Context) (bool, error) {
		for _, name := range []string{"kubeconfig", "tls.crt", "tls.key"} {
			if _, err := os.Stat(filepath.Join(hub, name)); err != nil {
				return false, nil //nolint:nilerr // it is not there yet
			}
		}
		return true, nil
	})
	if err != nil {
		return nil //nolint:nilerr // ctx has ended
	}
	return work.NewWorkAgentConfig(r.common(cluster, hub), opts).RunWorkloadAgent(ctx,
		contextOf(r.config, "work-agent", r.opts.namespace))
}
