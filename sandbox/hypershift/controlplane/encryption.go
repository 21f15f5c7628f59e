package controlplane

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/sandbox/fault"
	"github.com/hcctl/hcctl/sandbox/hypershift/guest"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/reconciler"
	"github.com/hcctl/hcctl/sandbox/hypershift/internal/status"
)

// rotationStage is how long each state of a rotation takes: a roll-out of the API servers, or the migration of all
// data. Nothing is encrypted here, so nothing rolls out (assumed).
const rotationStage = 40 * time.Second

// rotateKey does what the config operator does when the spec names another key of etcd, or the same Secret has another
// one. Its condition goes to the view.
func (r *controlPlanes) rotateKey(ctx context.Context, hcp *hyperv1.HostedControlPlane, view *observation,
	before *status.SecretEncryption) (*status.SecretEncryption, error) {
	enc := hcp.Spec.SecretEncryption
	if enc == nil || enc.AESCBC == nil || !view.configOperatorRuns() {
		return before, nil
	}
	secret := &corev1.Secret{}
	name := enc.AESCBC.ActiveKey.Name
	err := r.Live.Get(ctx, types.NamespacedName{Namespace: hcp.Namespace, Name: name}, secret)
	if apierrors.IsNotFound(err) {
		return before, nil
	}
	if err != nil {
		return nil, fmt.Errorf("failed to get AESCBC key secret %s/%s: %w", hcp.Namespace, name, err)
	}
	key := status.EncryptionKey{Provider: "AESCBC", AESCBC: status.AESCBCKey{
		Secret: corev1.LocalObjectReference{Name: name}, DataHash: hash(secret.Data[hyperv1.AESCBCKeySecretKey])}}
	done, failed := false, ""
	if before != nil && before.TargetKey != nil {
		state := before.History[0].State
		left := r.Stages.Remaining(fmt.Sprintf("hcp/%s/encryption/%s/%s", hcp.Namespace, fingerprint(*before.TargetKey),
			state), rotationStage)
		view.wait = reconciler.Soonest(view.wait, left)
		done = left <= 0 && (state != status.KeyPromoted || !r.FaultOn(fault.ReEncryptionStuck, hcp))
		if r.FaultOn(fault.ReEncryptionFails, hcp) {
			failed = "secrets: " + msgMigrationFailed
		}
	}
	next, condition := before.Advance(key, fingerprint, done, failed, time.Now())
	view.encryption = condition
	return next, nil
}

// fingerprint is what a history knows a key by.
func fingerprint(k status.EncryptionKey) string {
	return hash([]byte(k.AESCBC.Secret.Name + "/" + k.AESCBC.DataHash))
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// configOperatorRuns reports whether the config operator can look at the guest.
func (v *observation) configOperatorRuns() bool {
	return v.guest.Phase == guest.Running && v.available("hosted-cluster-config-operator")
}
