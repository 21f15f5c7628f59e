package kubelet

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/sandbox/operator"
)

// kubeletAddress is the address at which the API server finds a kubelet. The nodes' other addresses lead nowhere, so
// each node also gets this one, of a type that bare-metal nodes do not use (see kube-apiserver's
// --kubelet-preferred-address-types).
var kubeletAddress = corev1.NodeAddress{Type: AddressType, Address: "localhost"}

// AddressType is the type of node address at which the API server must look for kubelets.
const AddressType = corev1.NodeExternalDNS

// LogAnnotation on a pod adds text to its log. With the value "lost" the kubelet answers that there is no log.
const LogAnnotation = "sandbox.hcctl.dev/log"

// Serve answers the API server's requests for container logs, commands and ports of pods, for all kubelets, until ctx
// ends; before it returns, it sets every node's address. No container runs, so a log has only its start time and
// command.
func Serve(ctx context.Context, c client.Client, containers Containers) error {
	pair, _, err := operator.SelfSigned(kubeletAddress.Address)
	if err != nil {
		return fmt.Errorf("certificate of the kubelets: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("listen for the API server: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /containerLogs/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		answerLog(w, r, c)
	})
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", func(w http.ResponseWriter, r *http.Request) {
		answerExec(w, r, c, containers)
	})
	mux.HandleFunc("/portForward/{namespace}/{pod}", func(w http.ResponseWriter, r *http.Request) {
		answerPortForward(w, r, c)
	})
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: time.Minute,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12},
	}
	go func() {
		<-ctx.Done()
		_ = server.Close()
	}()
	go func() { _ = server.ServeTLS(listener, "", "") }()
	port, _ := listener.Addr().(*net.TCPAddr)
	return announce(ctx, c, port.Port)
}

func announce(ctx context.Context, c client.Client, port int) error {
	nodes := &corev1.NodeList{}
	if err := c.List(ctx, nodes); err != nil {
		return fmt.Errorf("list nodes: %w", err)
	}
	for i := range nodes.Items {
		node := &nodes.Items[i]
		before := node.DeepCopy()
		node.Status.DaemonEndpoints.KubeletEndpoint.Port = int32(port) //nolint:gosec // a port
		node.Status.Addresses = append(without(node.Status.Addresses, AddressType), kubeletAddress)
		if err := c.Status().Patch(ctx, node, client.MergeFrom(before)); err != nil {
			return fmt.Errorf("kubelet of node %s: %w", node.Name, err)
		}
	}
	return nil
}

func without(addresses []corev1.NodeAddress, kind corev1.NodeAddressType) []corev1.NodeAddress {
	var out []corev1.NodeAddress
	for _, a := range addresses {
		if a.Type != kind {
			out = append(out, a)
		}
	}
	return out
}

// answerLog answers as a kubelet does, with its words for a missing log.
func answerLog(w http.ResponseWriter, r *http.Request, c client.Client) {
	pod := &corev1.Pod{}
	name, container := r.PathValue("pod"), r.PathValue("container")
	err := c.Get(r.Context(), client.ObjectKey{Namespace: r.PathValue("namespace"), Name: name}, pod)
	if err != nil {
		code := http.StatusInternalServerError
		if status := apierrors.APIStatus(nil); errors.As(err, &status) {
			code = int(status.Status().Code)
		}
		http.Error(w, err.Error(), code)
		return
	}
	status := containerStatus(pod, container)
	if status == nil || status.State.Running == nil && status.State.Terminated == nil {
		http.Error(w, fmt.Sprintf("container %q in pod %q is waiting to start: ContainerCreating", container, name),
			http.StatusBadRequest)
		return
	}
	if pod.Annotations[LogAnnotation] == "lost" {
		http.Error(w, fmt.Sprintf("failed to try resolving symlinks in path \"/var/log/pods/%s_%s_%s/%s/0.log\": no such "+
			"file or directory", pod.Namespace, name, pod.UID, container),
			http.StatusInternalServerError)
		return
	}
	if r.URL.Query().Get("previous") == "true" {
		http.Error(w, fmt.Sprintf("previous terminated container %q in pod %q not found", container, name),
			http.StatusBadRequest)
		return
	}
	lines := logOf(pod, status, r.URL.Query().Get("timestamps") == "true")
	if n, err := strconv.Atoi(r.URL.Query().Get("tailLines")); err == nil && n < len(lines) {
		lines = lines[len(lines)-n:]
	}
	for _, line := range lines {
		_, _ = fmt.Fprintln(w, line)
	}
}

func containerStatus(pod *corev1.Pod, name string) *corev1.ContainerStatus {
	for _, list := range [][]corev1.ContainerStatus{pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses} {
		for i := range list {
			if list[i].Name == name {
				return &list[i]
			}
		}
	}
	return nil
}

func logOf(pod *corev1.Pod, status *corev1.ContainerStatus, stamped bool) []string {
	var at time.Time
	if status.State.Running != nil {
		at = status.State.Running.StartedAt.Time
	} else {
		at = status.State.Terminated.StartedAt.Time
	}
	lines := []string{
		fmt.Sprintf("the sandbox's container %s of pod %s/%s, on node %s", status.Name, pod.Namespace, pod.Name,
			pod.Spec.NodeName),
		"it would run " + strings.TrimSpace(status.Image),
	}
	if more := pod.Annotations[LogAnnotation]; more != "" {
		lines = append(lines, more)
	}
	if !stamped {
		return lines
	}
	for i := range lines {
		lines[i] = at.UTC().Format(time.RFC3339Nano) + " " + lines[i]
	}
	return lines
}
