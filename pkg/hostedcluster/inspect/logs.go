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

// OperatorComponent is the name of the HyperShift operator among the components; its pods are in another namespace.
const OperatorComponent = "hypershift-operator"

const operatorNamespace = "hypershift"

// LogOptions say which part of a log is meant.
type LogOptions struct {
	// Tail is how many of the last lines, Since how far back; zero means without that limit.
	Tail  int64
	Since time.Duration
	// Previous means the container before the last restart, Follow goes on until the container ends.
	Previous, Follow bool
	// Container is one of the pod's; empty means the one that is marked as the default, or else the first.
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

// Pods are the pods of a control plane, of the worker VMs and of the HyperShift operator, by component and name. The
// component is what a pod's owner is called; that of a VM's pod is the VM. Without permission for the operator's
// namespace its pods are left out. It fails with *hostedcluster.NotFoundError or the error of a read.
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
	// Those who may look at one cluster need not see the operator of all.
	_ = r.List(ctx, &operator, client.InNamespace(operatorNamespace))
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

// Components are the names that Of takes for a hosted cluster, without the HyperShift operator's. They are read from
// the pods' metadata alone, which is quick. It fails with the error of the read.
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

// vmName is the label that KubeVirt gives a virt-launcher pod.
const vmName = "vm.kubevirt.io/name"

// componentOf is the name of the Deployment, StatefulSet or VM that a pod belongs to.
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

// defaultContainer is the annotation by which kubectl chooses a container, too.
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

// Of are the pods of a component, which may also be a pod's own name. The error of an unknown one names components that
// may be meant, or all.
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

// container chooses the container of a pod. It fails if the pod has no such container.
func (p Pod) container(asked string) (string, error) {
	switch {
	case asked != "" && slices.Contains(p.Containers, asked):
		return asked, nil
	case asked != "":
		return "", fmt.Errorf("pod %s has no container %q; it has %s", p.Name, asked, strings.Join(p.Containers, ", "))
	case slices.Contains(p.Containers, p.fallback):
		return p.fallback, nil
	case slices.Contains(p.Containers, p.Component):
		return p.Component, nil
	case len(p.Containers) > 0:
		return p.Containers[0], nil
	}
	return "", fmt.Errorf("pod %s has no containers", p.Name)
}

// maxLine is how much of a line is shown.
const maxLine = 64 << 10

// Log calls line with each line of a pod's log, without control characters, until the log or ctx ends. It fails with
// the error of the read or of line.
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
