package operator

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// Warn writes a Warning about an object, or counts one more of the same. component is who says it.
func Warn(ctx context.Context, c client.Client, about client.Object, component, reason, message string) error {
	gvk, err := apiutil.GVKForObject(about, c.Scheme())
	if err != nil {
		return fmt.Errorf("tell of %T %s: %w", about, about.GetName(), err)
	}
	sum := sha256.Sum256([]byte(string(about.GetUID()) + component + reason + message))
	now := metav1.Now()
	event := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Namespace: about.GetNamespace(),
			Name: about.GetName() + "." + hex.EncodeToString(sum[:8])},
		InvolvedObject: corev1.ObjectReference{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind,
			Namespace: about.GetNamespace(), Name: about.GetName(), UID: about.GetUID()},
		Type: corev1.EventTypeWarning, Reason: reason, Message: message, Count: 1, FirstTimestamp: now, LastTimestamp: now,
		Source: corev1.EventSource{Component: component},
	}
	err = c.Create(ctx, event)
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(event), event); err != nil {
		return client.IgnoreNotFound(err)
	}
	event.Count++
	event.LastTimestamp = now
	if err := c.Update(ctx, event); err != nil && !apierrors.IsConflict(err) {
		return client.IgnoreNotFound(err)
	}
	return nil
}
