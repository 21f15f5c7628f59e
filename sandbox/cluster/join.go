package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/tools/clientcmd"
	clusterv1 "open-cluster-management.io/api/cluster/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/crds"
	"github.com/hcctl/hcctl/sandbox/operator"
)

// Join is the hub that a sandbox joins as a managed cluster.
type Join struct {
	// Hub is the hub's kubeconfig, of a cluster admin. The agents do not get it.
	Hub string
	// Cluster is the name of the ManagedCluster.
	Cluster string
}

const (
	// joinRetry is the time between two tries to import the cluster.
	joinRetry = time.Second
	// klusterletConfig is the vendor's KlusterletConfig for clusters that have a multicluster engine of their own: their
	// klusterlets have other names than that of local-cluster.
	klusterletConfig = "mce-import-klusterlet-config"
)

// join imports this cluster at the hub and runs its klusterlet, until ctx ends. A hub that does not answer is tried
// again, as a klusterlet does.
func (s *Sandbox) join(ctx context.Context, env operator.Env) error {
	var agents string
	for said := ""; ; {
		var err error
		if agents, err = s.importAt(ctx, env); err == nil {
			break
		}
		if text := err.Error(); ctx.Err() == nil && text != said {
			said = text
			s.log.Info("cannot join the hub yet", "cluster", s.opts.Join.Cluster, "reason", text)
		}
		if !pause(ctx, joinRetry) {
			return nil
		}
	}
	dir := filepath.Join(s.dir.Run(), "klusterlet")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make directory for the klusterlet: %w", err)
	}
	done, err := s.procs.Keep(ctx, "klusterlet", "ocm", []string{"--kubeconfig=" + s.dir.Kubeconfig(), "--dir=" + dir,
		"--agents=" + agents, "--speed=" + strconv.FormatFloat(s.opts.Speed, 'g', -1, 64)}, nil)
	if err != nil {
		return err
	}
	<-done
	return nil
}

// pause waits, and reports whether ctx is still alive.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// importAt imports this cluster as a user does: it creates the ManagedCluster, unless there is one, and applies what
// the hub's import controller writes for it. It returns namespace and name of the agents' Deployment.
func (s *Sandbox) importAt(ctx context.Context, env operator.Env) (agents string, err error) {
	config, err := clientcmd.BuildConfigFromFlags("", s.opts.Join.Hub)
	if err != nil {
		return "", fmt.Errorf("read the hub's kubeconfig: %w", err)
	}
	hub, err := client.New(config, client.Options{Scheme: env.Scheme})
	if err != nil {
		return "", fmt.Errorf("reach the hub: %w", err)
	}
	name := s.opts.Join.Cluster
	c := &clusterv1.ManagedCluster{
		ObjectMeta: metav1.ObjectMeta{
			Name:        name,
			Labels:      map[string]string{"cloud": "auto-detect", "vendor": "auto-detect"},
			Annotations: map[string]string{"agent.open-cluster-management.io/klusterlet-config": klusterletConfig},
		},
		Spec: clusterv1.ManagedClusterSpec{HubAcceptsClient: true, LeaseDurationSeconds: 60},
	}
	if err := hub.Create(ctx, c); err != nil && !apierrors.IsAlreadyExists(err) {
		return "", fmt.Errorf("create ManagedCluster %s: %w", name, err)
	}
	secret := &corev1.Secret{}
	if err := hub.Get(ctx, client.ObjectKey{Namespace: name, Name: name + "-import"}, secret); err != nil {
		return "", fmt.Errorf("read the manifests to import: %w", err)
	}
	// They are in the vendor's manifests, too. The agents need them.
	if err := s.klusterletKinds(ctx, env); err != nil {
		return "", err
	}
	return applyKlusterlet(ctx, env.Live, secret.Data["import.yaml"])
}

// klusterletKinds installs the kinds of a managed cluster.
func (s *Sandbox) klusterletKinds(ctx context.Context, env operator.Env) error {
	watcher, err := client.NewWithWatch(env.Config, client.Options{Scheme: env.Scheme})
	if err != nil {
		return fmt.Errorf("reach the API server: %w", err)
	}
	return crds.InstallSome(ctx, watcher, crds.OCM, "klusterlets.operator.open-cluster-management.io",
		"appliedmanifestworks.work.open-cluster-management.io", "clusterclaims.cluster.open-cluster-management.io")
}

// applyKlusterlet creates the objects of the hub's manifests, and the Deployment of the agents as the klusterlet's
// operator does. It returns namespace and name of that.
func applyKlusterlet(ctx context.Context, c client.Client, manifests []byte) (string, error) {
	documents := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(manifests), len(manifests)+1)
	var agents *appsv1.Deployment
	for {
		o := &unstructured.Unstructured{}
		if err := documents.Decode(o); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return "", fmt.Errorf("read the manifests to import: %w", err)
		}
		if err := c.Create(ctx, o); err != nil && !apierrors.IsAlreadyExists(err) {
			return "", fmt.Errorf("create %s %s: %w", o.GetKind(), o.GetName(), err)
		}
		if o.GetKind() == "Klusterlet" {
			namespace, _, _ := unstructured.NestedString(o.Object, "spec", "namespace")
			cluster, _, _ := unstructured.NestedString(o.Object, "spec", "clusterName")
			agents = agentDeployment(namespace, o.GetName()+"-agent", cluster)
		}
	}
	if agents == nil {
		return "", errors.New("the hub's manifests have no Klusterlet")
	}
	if err := c.Create(ctx, agents); err != nil && !apierrors.IsAlreadyExists(err) {
		return "", fmt.Errorf("create Deployment %s: %w", agents.Name, err)
	}
	return agents.Namespace + "/" + agents.Name, nil
}

// agentDeployment returns the Deployment of a klusterlet of mode Singleton.
func agentDeployment(namespace, name, cluster string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "klusterlet", Image: "registration-operator",
					Args: []string{"agent", "--spoke-cluster-name=" + cluster}}}},
			},
		},
	}
}
