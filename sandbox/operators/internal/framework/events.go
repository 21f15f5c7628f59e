package framework

import (
	"context"
	"fmt"
	"hash/fnv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Warn writes a Warning about an object, as an operator's event recorder does: the same again counts up. An object
// without a namespace has its events in namespace default.
func (l *Run) Warn(ctx context.Context, o client.Object, reason, message string) error {
	gvk, err := l.Client.GroupVersionKindFor(o)
	if err != nil {
		return err
	}
	namespace := o.GetNamespace()
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	id := fnv.New64a()
	_, _ = fmt.Fprint(id, o.GetUID(), reason, message)
	now := metav1.Now()
	e := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: namespace,
		Name: fmt.Sprintf("%s.%x", o.GetName(), id.Sum64())}}
	found, err := Exists(ctx, l.Client, e)
	if err != nil {
		return err
	}
	if found {
		return Change(ctx, l.Client, e, func(e *corev1.Event) { e.Count, e.LastTimestamp = e.Count+1, now })
	}
	e.InvolvedObject = corev1.ObjectReference{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind,
		Namespace: o.GetNamespace(), Name: o.GetName(), UID: o.GetUID()}
	e.Type, e.Reason, e.Message, e.Count = corev1.EventTypeWarning, reason, message, 1
	e.FirstTimestamp, e.LastTimestamp = now, now
	return Create(ctx, l.Client, e)
}
