package mce

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/hcctl/hcctl/sandbox/operator"
	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

const (
	// ocmProgram is Open Cluster Management itself, beside the sandbox's binary.
	ocmProgram     = "ocm"
	clusterManager = "cluster-manager"
	// hubEndTime is the time between two looks at whether it has ended.
	hubEndTime = time.Second
)

// startOCM runs Open Cluster Management's own controllers while Deployment cluster-manager is Available. In reality it
// deploys them to a namespace of their own, and they would outlive it.
func (m *engine) startOCM() error {
	ours := predicate.NewPredicateFuncs(func(o client.Object) bool {
		return o.GetNamespace() == Namespace && o.GetName() == clusterManager
	})
	return m.NewController("cluster-manager", &appsv1.Deployment{}, builder.WithPredicates(ours)).
		Complete(reconcile.Func(m.hub.reconcile))
}

// ocm is the running program.
type ocm struct {
	*engine
	mu sync.Mutex
	// stop ends it; nil if it is not wanted.
	stop context.CancelFunc
	// ended is closed when it has ended; nil if it never ran.
	ended chan struct{}
}

// runs reports whether the program has not ended yet.
func (p *ocm) runs() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended == nil {
		return false
	}
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

func (p *ocm) reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	d := &appsv1.Deployment{}
	d.Namespace, d.Name = req.Namespace, req.Name
	found, err := framework.Exists(ctx, p.Client, d)
	if err != nil {
		return reconcile.Result{}, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	up := found && operator.Available(d)
	switch {
	case up && p.stop == nil:
		var life context.Context
		life, p.stop = context.WithCancel(p.runCtx)
		before, ended := p.ended, make(chan struct{})
		p.ended = ended
		go func() {
			defer close(ended)
			if before != nil {
				<-before
			}
			p.run(life)
		}()
	case !up && p.stop != nil:
		p.stop()
		p.stop = nil
	}
	return reconcile.Result{}, nil
}

// run runs the program until ctx ends.
func (p *ocm) run(ctx context.Context) {
	done, err := p.launch(ctx)
	if err != nil {
		ctrl.LoggerFrom(ctx).Error(err, "starting Open Cluster Management")
		return
	}
	<-done
}

func (p *ocm) launch(ctx context.Context) (<-chan struct{}, error) {
	dir := filepath.Join(p.Dir, ocmProgram)
	kubeconfig := filepath.Join(dir, "kubeconfig")
	raw, err := kubeconfigOf(p.Config, "")
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(kubeconfig, raw, 0o600); err != nil {
		return nil, err
	}
	return p.Processes.Keep(ctx, ocmProgram, ocmProgram, []string{"--kubeconfig=" + kubeconfig, "--dir=" + dir,
		"--speed=" + strconv.FormatFloat(p.Pace.Speed, 'g', -1, 64)}, nil)
}

// kubeconfigOf writes config as a kubeconfig, with another token than its own credentials if there is one.
func kubeconfigOf(config *rest.Config, token string) ([]byte, error) {
	loaded := rest.CopyConfig(config)
	if err := rest.LoadTLSFiles(loaded); err != nil {
		return nil, fmt.Errorf("write a kubeconfig: %w", err)
	}
	user := &clientcmdapi.AuthInfo{Token: token}
	if token == "" {
		user = &clientcmdapi.AuthInfo{ClientCertificateData: loaded.CertData, ClientKeyData: loaded.KeyData,
			Token: loaded.BearerToken}
	}
	c := clientcmdapi.NewConfig()
	c.Clusters["hub"] = &clientcmdapi.Cluster{Server: loaded.Host, CertificateAuthorityData: loaded.CAData}
	c.AuthInfos["user"] = user
	c.Contexts["hub"] = &clientcmdapi.Context{Cluster: "hub", AuthInfo: "user"}
	c.CurrentContext = "hub"
	return clientcmd.Write(*c)
}
