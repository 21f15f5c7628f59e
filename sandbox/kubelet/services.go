package kubelet

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// serviceRetry is the time after which a Service without a ready pod is looked at again.
const serviceRetry = 200 * time.Millisecond

// services answers at the addresses of Services of type LoadBalancer whose pods have no controller, if the address is a
// loopback address of this machine. In place of the pod it answers every HTTP request with the pod's host name. Of pods
// that run OpenSSH or Dex, it plays the server. (The sandbox's other parts answer for pods of workloads, such as hosted
// API servers.)
type services struct {
	client client.Client
	live   client.Reader
	mu     sync.Mutex
	open   map[types.NamespacedName]io.Closer
}

// SetupServices adds the answers at load balancers' addresses to mgr, whose cache has the pods with a node.
func SetupServices(mgr ctrl.Manager) error {
	s := &services{client: mgr.GetClient(), live: mgr.GetAPIReader(), open: map[types.NamespacedName]io.Closer{}}
	return ctrl.NewControllerManagedBy(mgr).Named("services").For(&corev1.Service{}).
		WithOptions(controller.Options{SkipNameValidation: ptr.To(true)}).Complete(s)
}

// Reconcile begins or ends answering for a Service.
func (s *services) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	service := &corev1.Service{}
	err := s.client.Get(ctx, req.NamespacedName, service)
	if err != nil && !apierrors.IsNotFound(err) {
		return reconcile.Result{}, fmt.Errorf("read Service %s: %w", req, err)
	}
	if err != nil || service.DeletionTimestamp != nil {
		s.end(req.NamespacedName)
		return reconcile.Result{}, nil
	}
	address, ok := loopbackAddress(service)
	if !ok {
		s.end(req.NamespacedName)
		return reconcile.Result{}, nil
	}
	pods := &corev1.PodList{}
	if err := s.client.List(ctx, pods, client.InNamespace(service.Namespace),
		client.MatchingLabelsSelector{Selector: labels.SelectorFromSet(service.Spec.Selector)}); err != nil {
		return reconcile.Result{}, fmt.Errorf("pods of Service %s: %w", req, err)
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		ready := conditionOf(pod, corev1.PodReady) == corev1.ConditionTrue
		switch {
		case runsSSH(pod) && ready:
			return reconcile.Result{}, s.answerSSH(ctx, req.NamespacedName, address, pod)
		case runsDex(pod) && ready:
			return reconcile.Result{}, s.answerDex(ctx, req.NamespacedName, address, pod)
		case runsSSH(pod), runsDex(pod):
		case metav1.GetControllerOf(pod) != nil:
			return reconcile.Result{}, nil
		case ready:
			return reconcile.Result{}, s.answer(ctx, req.NamespacedName, address, pod.Name)
		}
	}
	return reconcile.Result{RequeueAfter: serviceRetry}, nil
}

// loopbackAddress returns the address and port of a Service that a load balancer gave a loopback address.
func loopbackAddress(service *corev1.Service) (string, bool) {
	if service.Spec.Type != corev1.ServiceTypeLoadBalancer || len(service.Spec.Selector) == 0 ||
		len(service.Spec.Ports) == 0 || len(service.Status.LoadBalancer.Ingress) == 0 {
		return "", false
	}
	ip := service.Status.LoadBalancer.Ingress[0].IP
	if a, err := netip.ParseAddr(ip); err != nil || !a.IsLoopback() {
		return "", false
	}
	return net.JoinHostPort(ip, strconv.Itoa(int(service.Spec.Ports[0].Port))), true
}

func (s *services) answer(ctx context.Context, key types.NamespacedName, address, host string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[key] != nil {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("answer for Service %s: %w", key, err)
	}
	server := &http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprintln(w, host) })}
	go func() { _ = server.Serve(listener) }()
	s.open[key] = server
	return nil
}

// answerSSH plays the SSH server of a pod at the address of its Service. The pod may be replaced meanwhile: its
// settings are those of the Deployment, and its files are read anew for each connection.
func (s *services) answerSSH(ctx context.Context, key types.NamespacedName, address string, pod *corev1.Pod) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[key] != nil {
		return nil
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("answer for Service %s: %w", key, err)
	}
	server := sshPod{s.live, pod.DeepCopy()}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go server.serve(context.WithoutCancel(ctx), conn)
		}
	}()
	s.open[key] = listener
	return nil
}

func (s *services) end(key types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if open := s.open[key]; open != nil {
		_ = open.Close()
		delete(s.open, key)
	}
}
