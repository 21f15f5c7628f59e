package inspect

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/failure"
	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/internal/suggest"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
)

// OperatorComponent is the component name of the HyperShift operator, whose pods are in another namespace.
const OperatorComponent = "hypershift-operator"

// LogOptions select a part of a log.
type LogOptions struct {
	// Tail is the maximum number of last lines, Since the maximum age; zero means no limit.
	Tail  int64
	Since time.Duration
	// Previous selects the container before the last restart. Follow continues until the container ends.
	Previous, Follow bool
	// Container of the pod; empty means the default container of its annotation, or else the first.
	Container string
}

// Pod is one pod of a component.
type Pod struct {
	Component  string   `json:"component"`
	Namespace  string   `json:"namespace"`
	Name       string   `json:"name"`
	Phase      string   `json:"phase"`
	Ready      bool     `json:"ready"`
	Restarts   int32    `json:"restarts"`
	Containers []string `json:"containers"`
	fallback   string
}

// Pods returns the pods of a control plane, of the worker VMs and of the HyperShift operator, by component and name.
// The component is the name of the pod's owner, or of the VM. The operator's pods are left out if the user may not read
// its namespace. The error is a *hostedcluster.NotFoundError or that of the read.
func Pods(ctx context.Context, r kube.Reader, namespace, name string) ([]Pod, error) {
	var own, operator corev1.PodList
	if err := r.List(ctx, &own, client.InNamespace(hostedcluster.ControlPlaneNamespace(namespace, name))); err != nil {
		return nil, fmt.Errorf("list the pods of the control plane: %w", err)
	}
	if len(own.Items) == 0 {
		if _, err := hostedcluster.Find(ctx, r, namespace, name); err != nil {
			return nil, err
		}
	}
	// A user who may read one cluster need not be allowed to read the operator.
	_ = r.List(ctx, &operator, client.InNamespace(hostedcluster.OperatorNamespace))
	var out []Pod
	for i := range own.Items {
		out = append(out, podOf(&own.Items[i], componentOf(&own.Items[i])))
	}
	for i := range operator.Items {
		if p := &operator.Items[i]; componentOf(p) == "operator" {
			out = append(out, podOf(p, OperatorComponent))
		}
	}
	slices.SortFunc(out, func(a, b Pod) int {
		return strings.Compare(a.Component+"\x00"+a.Name, b.Component+"\x00"+b.Name)
	})
	return out, nil
}

// Components returns the component names of a hosted cluster that Of accepts, without the HyperShift operator. It only
// reads the pods' metadata, which is fast. It returns the error of the read.
func Components(ctx context.Context, r client.Reader, namespace, name string) ([]string, error) {
	var pods metav1.PartialObjectMetadataList
	pods.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PodList"))
	err := r.List(ctx, &pods, client.InNamespace(hostedcluster.ControlPlaneNamespace(namespace, name)))
	names := make([]string, 0, len(pods.Items))
	for i := range pods.Items {
		names = append(names, componentOf(&corev1.Pod{ObjectMeta: pods.Items[i].ObjectMeta}))
	}
	slices.Sort(names)
	return slices.Compact(names), err
}

// vmName is the label of virt-launcher pods with the name of the VM.
const vmName = "vm.kubevirt.io/name"

// componentOf returns the name of the Deployment, StatefulSet or VM that a pod belongs to.
func componentOf(p *corev1.Pod) string {
	if vm := p.Labels[vmName]; vm != "" {
		return vm
	}
	if len(p.OwnerReferences) == 0 {
		return p.Name
	}
	o := p.OwnerReferences[0]
	if o.Kind == "ReplicaSet" {
		if hash := p.Labels["pod-template-hash"]; hash != "" {
			return strings.TrimSuffix(o.Name, "-"+hash)
		}
		return o.Name[:max(strings.LastIndex(o.Name, "-"), 0)]
	}
	return o.Name
}

// defaultContainer is the annotation with the default container, which kubectl also uses.
const defaultContainer = "kubectl.kubernetes.io/default-container"

func podOf(p *corev1.Pod, component string) Pod {
	out := Pod{Component: sanitize.Value(component), Namespace: p.Namespace, Name: p.Name, Phase: string(p.Status.Phase),
		fallback: p.Annotations[defaultContainer]}
	for _, c := range p.Spec.Containers {
		out.Containers = append(out.Containers, c.Name)
	}
	if component == p.Labels[vmName] && component != "" {
		out.fallback = "compute"
	}
	out.Ready = health.PodReady(p)
	for i := range p.Status.ContainerStatuses {
		out.Restarts += p.Status.ContainerStatuses[i].RestartCount
	}
	return out
}

// Of returns the pods of a component, or the pod with that name. The error for an unknown component names similar ones,
// or all.
func Of(pods []Pod, component string) ([]Pod, error) {
	out := slices.DeleteFunc(slices.Clone(pods), func(p Pod) bool {
		return p.Component != component && p.Name != component
	})
	if len(out) > 0 {
		return out, nil
	}
	var known []string
	for _, p := range pods {
		known = append(known, p.Component)
	}
	known = slices.Compact(known)
	next := hint.New("there are %s", strings.Join(known, ", "))
	if near := suggest.Words(component, known); len(near) > 0 {
		next = hint.New("did you mean %s", strings.Join(near, ", "))
	}
	return nil, failure.New(failure.Other, next, "no pod of component %q", component)
}

// container returns the name of a pod's container. It returns an error if the pod does not have the requested one.
func (p Pod) container(requested string) (string, error) {
	switch {
	case requested != "" && slices.Contains(p.Containers, requested):
		return requested, nil
	case requested != "":
		return "", fmt.Errorf("pod %s has no container %q; it has %s", p.Name, requested, strings.Join(p.Containers, ", "))
	case slices.Contains(p.Containers, p.fallback):
		return p.fallback, nil
	case slices.Contains(p.Containers, p.Component):
		return p.Component, nil
	case len(p.Containers) > 0:
		return p.Containers[0], nil
	}
	return "", fmt.Errorf("pod %s has no containers", p.Name)
}

// maxLine is the maximum length of a line in bytes. The rest is left out.
const maxLine = 64 << 10

// Log calls line with each line of a pod's log, without control characters, until the log or ctx ends. It returns the
// error of the read or of line.
func Log(ctx context.Context, c *kube.Client, p Pod, opt LogOptions, line func(string) error) error {
	container, err := p.container(opt.Container)
	if err != nil {
		return err
	}
	stream, err := c.LogStream(ctx, p.Namespace, p.Name, kube.LogOptions{Container: container, Previous: opt.Previous,
		Follow: opt.Follow, Tail: opt.Tail, Since: opt.Since})
	if err != nil {
		return fmt.Errorf("log of container %s of pod %s/%s: %w", container, p.Namespace, p.Name, err)
	}
	defer func() { _ = stream.Close() }()
	reader := bufio.NewReaderSize(stream, maxLine)
	for {
		text, cut, err := reader.ReadLine()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		shown := sanitize.Line(string(text))
		for cut && err == nil {
			_, cut, err = reader.ReadLine() // the rest of a line that is too long
		}
		if err := line(shown); err != nil {
			return err
		}
	}
}
