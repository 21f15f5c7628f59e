package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/aggregated"
	"github.com/hcctl/hcctl/sandbox/cluster/apiserver"
	"github.com/hcctl/hcctl/sandbox/cluster/container"
	"github.com/hcctl/hcctl/sandbox/cluster/etcd"
	"github.com/hcctl/hcctl/sandbox/cluster/pki"
	"github.com/hcctl/hcctl/sandbox/cluster/process"
	"github.com/hcctl/hcctl/sandbox/kubelet"
	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/world"
)

// labelAPIServer names the management cluster's API server among the children.
const labelAPIServer = "kube-apiserver"

// start starts all parts and returns once the cluster matches its profile.
func (s *Sandbox) start(ctx context.Context) (operator.Env, error) {
	var err error
	s.procs, err = process.NewSupervisor(s.dir.Logs(), process.Options{Env: s.childEnv(), Log: s.log, Fail: s.end,
		Report: func(text string) {
			if s.opts.Report != nil {
				s.opts.Report(text)
			}
		}})
	if err != nil {
		return operator.Env{}, err
	}
	if s.db, err = etcd.Start(ctx, filepath.Join(s.dir.Run(), "etcd"),
		filepath.Join(s.dir.Logs(), "etcd.log")); err != nil {
		return operator.Env{}, err
	}
	s.runInBackground("etcd", s.db.Wait)
	if s.net, s.claim, err = claimNet(ctx); err != nil {
		return operator.Env{}, err
	}
	origin, err := s.fillEtcd(ctx)
	if err != nil {
		return operator.Env{}, err
	}
	if err := s.startAPI(ctx); err != nil {
		return operator.Env{}, err
	}
	env, err := s.env()
	if err != nil {
		return env, err
	}
	if env.APIs, err = aggregated.Start(s.life, env.Client); err != nil {
		return env, err
	}
	if s.opts.Still {
		return env, s.populateStill(ctx, env, origin)
	}
	err = runParallel(ctx,
		func(context.Context) error { return s.startControllers() },
		func(ctx context.Context) error { return s.startSimulation(ctx, env) },
		func(ctx context.Context) error { return s.populate(ctx, env, origin) },
	)
	if err != nil {
		return env, err
	}
	if s.opts.Fleet {
		if err := s.timed("room for a fleet", func() error { return world.Enlarge(ctx, env.Client, s.net) }); err != nil {
			return env, err
		}
	}
	if err := s.timed("kubelets", func() error { return kubelet.Serve(s.life, env.Live, s.containers) }); err != nil {
		return env, err
	}
	if s.opts.ArgoCD {
		if err := s.timed("Argo CD", func() error { return s.argocd(env).Start(s.life) }); err != nil {
			return env, err
		}
	}
	return env, s.injectFaults(ctx, env)
}

// publish writes the kubeconfig, which shows that the cluster is ready.
func (s *Sandbox) publish() error {
	kubeconfig, err := pki.Kubeconfig(s.api.Host, s.api.CA.PEM, "admin", s.api.Admin)
	if err != nil {
		return err
	}
	return s.dir.Publish(kubeconfig)
}

// startAPI runs the management cluster's API server and returns once it answers.
func (s *Sandbox) startAPI(ctx context.Context) error {
	// No controller here removes the not-ready taint that this plugin adds to nodes.
	disabled := "TaintNodesByCondition"
	if !s.opts.RealHyperShift {
		// OpenShift fills in pods' security contexts by its SecurityContextConstraints before PodSecurity checks them.
		// Only beside the vendor's HyperShift a policy does that here.
		disabled += ",PodSecurity"
	}
	if s.opts.Still {
		disabled += ",ServiceAccount" // no controller makes the accounts of a new namespace
	}
	args := []string{"--disable-admission-plugins=" + disabled, "--kubelet-preferred-address-types=" +
		string(kubelet.AddressType)}
	if s.opts.Audit {
		audit, err := s.auditArgs()
		if err != nil {
			return err
		}
		args = append(args, audit...)
	}
	program, err := apiserver.ProgramOf(s.opts.Kubernetes)
	if err != nil {
		return err
	}
	s.api, err = apiserver.Start(s.life, s.procs, s.db, s.dir.Run(), apiserver.Spec{
		Label: labelAPIServer, Program: program, Bind: pki.Loopback, Prefix: etcd.ManagementPrefix,
		ServiceCIDR: "172.30.0.0/16", OpenAPI: s.opts.OpenAPI, Args: args,
		GiveUp: s.end,
	})
	if err != nil {
		return err
	}
	return s.api.WaitReady(ctx)
}

// env returns the environment of the simulated operators.
func (s *Sandbox) env() (operator.Env, error) {
	scheme, err := newScheme()
	if err != nil {
		return operator.Env{}, err
	}
	config := s.api.Config()
	live, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return operator.Env{}, fmt.Errorf("reach the API server: %w", err)
	}
	// Controllers have work queues; what is written once, at the start, is retried here.
	c, err := client.New(retrying(config), client.Options{Scheme: scheme})
	if err != nil {
		return operator.Env{}, fmt.Errorf("reach the API server: %w", err)
	}
	dir := filepath.Join(s.dir.Run(), "operators")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return operator.Env{}, fmt.Errorf("make directory for operators: %w", err)
	}
	guests := &guests{sandbox: s, running: map[string]bool{}}
	s.containers = &container.Host{Dir: filepath.Join(s.dir.Run(), "containers"), Client: c, Etcd: s.db,
		APIServerRuns: guests.runs, LogFile: filepath.Join(s.dir.Logs(), "etcd-snapshot.log")}
	if err := os.MkdirAll(s.containers.Dir, 0o700); err != nil {
		return operator.Env{}, fmt.Errorf("make directory for containers: %w", err)
	}
	return operator.Env{
		Config: config, Live: live, Client: c, Scheme: scheme, Profile: s.opts.Profile, Finished: s.opts.Clusters > 0,
		RealHyperShift: s.opts.RealHyperShift,
		Pace:           operator.Pace{Speed: s.opts.Speed}, Faults: s.opts.Faults,
		Dir: dir, Net: s.net, Processes: s.procs, APIServers: guests,
	}, nil
}

// startSimulation starts the kubelet, the deletion of namespaces and the simulated operators, and returns once the
// kubelet sees pods. They run as long as the sandbox.
func (s *Sandbox) startSimulation(ctx context.Context, env operator.Env) error {
	mgr, err := operator.NewManager(env, "kubelet", cache.Options{
		ByObject: map[client.Object]cache.ByObject{&corev1.Pod{}: {Field: kubelet.PodFields()}},
	})
	if err != nil {
		return err
	}
	if err := kubelet.Setup(mgr, env.Live, env.Pace, s.containers, s.runner()); err != nil {
		return fmt.Errorf("set up kubelet: %w", err)
	}
	if err := kubelet.SetupServices(mgr); err != nil {
		return fmt.Errorf("set up the answers of Services: %w", err)
	}
	if err := setUpNamespaces(mgr, env, s.db); err != nil {
		return fmt.Errorf("set up the deletion of namespaces: %w", err)
	}
	s.runInBackground("kubelet", mgr.Start)
	s.runInBackground("operators", func(ctx context.Context) error {
		return operator.Run(ctx, env, s.simulatedOperators(), s.log)
	})
	if !mgr.GetCache().WaitForCacheSync(ctx) {
		return errors.New("the kubelet cannot watch pods")
	}
	return nil
}

// runInBackground runs a part in this process until the sandbox ends. If the part fails, the sandbox fails.
func (s *Sandbox) runInBackground(name string, run func(context.Context) error) {
	s.parts.run(s.life, func(ctx context.Context) {
		defer func() {
			if r := recover(); r != nil {
				s.log.Error("panic", "part", name, "panic", r, "stack", string(debug.Stack()))
				s.end(fmt.Errorf("%s panicked: %v", name, r))
			}
		}()
		if err := run(ctx); err != nil && ctx.Err() == nil {
			s.end(fmt.Errorf("%s failed: %w", name, err))
		}
	})
}
