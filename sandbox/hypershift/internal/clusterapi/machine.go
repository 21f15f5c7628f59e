package clusterapi

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Machine is the state of one machine.
type Machine struct {
	Name string
	// Ready reports whether its VirtualMachine runs. Otherwise Reason and Message are the provider's.
	Ready           bool
	Reason, Message string
	// Node is its node, which may be unready; nil before it has joined.
	Node        *corev1.Node
	NodeHealthy bool
	// NodeMessage says which of its conditions are not as they should be.
	NodeMessage string
	Addresses   []corev1.NodeAddress
}

// EnsureMachine writes the Machine and the KubevirtMachine of a machine.
func (w *Writer) EnsureMachine(ctx context.Context, p Pool, name string) error {
	set, ok := w.known.Load(p.Namespace + "/MachineSet/" + p.setName())
	if !ok {
		return fmt.Errorf("MachineSet %s/%s is not there", p.Namespace, p.setName())
	}
	owner, _ := set.(*unstructured.Unstructured)
	machine, err := w.apply(ctx, ownedBy(p.machine(name), owner, true))
	if err != nil {
		return err
	}
	_, err = w.apply(ctx, ownedBy(p.kubevirtMachine(name), machine, true))
	return err
}

// ReportMachine writes the status of both objects of a machine.
func (w *Writer) ReportMachine(ctx context.Context, namespace string, m Machine) error {
	infrastructure := conditionTrue("InfrastructureReady")
	vm := conditionTrue("VMProvisioned")
	phase := "Provisioned"
	if !m.Ready {
		infrastructure = conditionFalse("InfrastructureReady", m.Reason, "Info", m.Message)
		vm = conditionFalse("VMProvisioned", m.Reason, "Info", m.Message)
		phase = "Provisioning"
	}
	ready := fields{}
	for k, v := range infrastructure {
		ready[k] = v
	}
	ready["type"] = "Ready"
	status := fields{"infrastructureReady": m.Ready, "addresses": m.addresses(),
		"conditions": []any{ready, infrastructure, m.nodeCondition()}}
	if m.Node != nil {
		phase = "Running"
		status["nodeRef"] = fields{"apiVersion": "v1", "kind": "Node", "name": m.Node.Name, "uid": string(m.Node.UID)}
	}
	status["phase"] = phase
	if err := w.reportUnlessFailed(ctx, bare("Machine", namespace, m.Name), status); err != nil {
		return err
	}
	first := fields{}
	for k, v := range vm {
		first[k] = v
	}
	first["type"] = "Ready"
	return w.report(ctx, bare("KubevirtMachine", namespace, m.Name), fields{"ready": m.Ready,
		"conditions": []any{first, vm}})
}

// reportUnlessFailed keeps phase Failed of a Machine that has a failure: Cluster API never takes it back.
func (w *Writer) reportUnlessFailed(ctx context.Context, o *unstructured.Unstructured, status fields) error {
	if w.reported(o, status) {
		return nil
	}
	now := bare(o.GetKind(), o.GetNamespace(), o.GetName())
	if err := w.Live.Get(ctx, client.ObjectKeyFromObject(o), now); err != nil {
		return client.IgnoreNotFound(err)
	}
	reason, _, _ := unstructured.NestedString(now.Object, "status", "failureReason")
	message, _, _ := unstructured.NestedString(now.Object, "status", "failureMessage")
	if reason+message != "" {
		status["phase"] = "Failed"
	}
	return w.report(ctx, o, status)
}

// ReportDraining writes that the node of a Machine that is being deleted is not empty: reason and message of m say why.
func (w *Writer) ReportDraining(ctx context.Context, namespace string, m Machine, began metav1.Time) error {
	drained := conditionFalse("DrainingSucceeded", m.Reason, "Info", m.Message)
	ready := conditionFalse("Ready", m.Reason, "Info", m.Message)
	return w.report(ctx, bare("Machine", namespace, m.Name), fields{"phase": "Deleting",
		"deletion":   fields{"nodeDrainStartTime": began.UTC().Format(time.RFC3339)},
		"conditions": []any{ready, drained, conditionTrue("InfrastructureReady"), m.nodeCondition()}})
}

func (m Machine) nodeCondition() fields {
	switch {
	case m.NodeHealthy:
		return conditionTrue("NodeHealthy")
	case m.Node != nil:
		return conditionFalse("NodeHealthy", "NodeConditionsFailed", "Warning", m.NodeMessage)
	case m.Ready:
		return conditionFalse("NodeHealthy", "NodeProvisioning", "Warning",
			"Waiting for a node with matching ProviderID to exist")
	}
	return conditionFalse("NodeHealthy", "WaitingForNodeRef", "Info", "")
}

func (m Machine) addresses() []any {
	list := []any{fields{"type": "Hostname", "address": m.Name}}
	for _, a := range m.Addresses {
		if a.Type == corev1.NodeInternalIP {
			list = append(list, fields{"type": "InternalIP", "address": a.Address},
				fields{"type": "ExternalIP", "address": a.Address})
		}
	}
	return append(list, fields{"type": "InternalDNS", "address": m.Name})
}

// BeginRemoval deletes the Machine, whose node is drained first. It stays until ReleaseMachine.
func (w *Writer) BeginRemoval(ctx context.Context, namespace, name string) error {
	if err := w.Delete(ctx, "Machine", namespace, name); err != nil {
		return err
	}
	return w.report(ctx, bare("Machine", namespace, name), fields{"phase": "Deleting"})
}

// RemoveMachine deletes both objects of a machine; they stay until ReleaseMachine.
func (w *Writer) RemoveMachine(ctx context.Context, namespace, name string) error {
	if err := w.BeginRemoval(ctx, namespace, name); err != nil {
		return err
	}
	return w.Delete(ctx, "KubevirtMachine", namespace, name)
}

// ReleaseMachine takes the finalizers off both objects: the VirtualMachine is gone.
func (w *Writer) ReleaseMachine(ctx context.Context, namespace, name string) error {
	if err := w.release(ctx, "KubevirtMachine", namespace, name); err != nil {
		return err
	}
	return w.release(ctx, "Machine", namespace, name)
}

// Conditions of Cluster API have no times here: a status is written when one of them changes.
func conditionTrue(kind string) fields { return fields{"type": kind, "status": "True"} }

func conditionFalse(kind, reason, severity, message string) fields {
	return fields{"type": kind, "status": "False", "reason": reason, "severity": severity, "message": message}
}
