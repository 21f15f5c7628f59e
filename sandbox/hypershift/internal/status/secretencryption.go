package status

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Newer has the fields of the status of HostedControlPlanes and HostedClusters that the API module's types lack.
// HyperShift has both from 4.22 on.
type Newer struct {
	ControlPlaneVersion *ControlPlaneVersion `json:"controlPlaneVersion,omitempty"`
	SecretEncryption    *SecretEncryption    `json:"secretEncryption,omitempty"`
}

// SecretEncryption is with which keys etcd's data are encrypted. All data are known to be encrypted with ActiveKey;
// there is a TargetKey while they are encrypted anew.
type SecretEncryption struct {
	ActiveKey EncryptionKey  `json:"activeKey"`
	TargetKey *EncryptionKey `json:"targetKey,omitempty"`
	History   []KeyRotation  `json:"history,omitempty"` // newest first
}

// EncryptionKey is a key of AES-CBC, the one provider that is played.
type EncryptionKey struct {
	Provider string    `json:"provider"`
	AESCBC   AESCBCKey `json:"aescbc"`
}

// AESCBCKey is a Secret, and the SHA-256 of the key in it: another key in the same Secret is another key.
type AESCBCKey struct {
	Secret   corev1.LocalObjectReference `json:"secret"`
	DataHash string                      `json:"dataHash"`
}

// KeyRotation is one change of the key.
type KeyRotation struct {
	State          string       `json:"state"`
	From           KeyReference `json:"from"`
	To             KeyReference `json:"to"`
	StartedTime    metav1.Time  `json:"startedTime"`
	CompletionTime *metav1.Time `json:"completionTime,omitempty"`
}

// KeyReference is a key by its fingerprint.
type KeyReference struct {
	Provider    string `json:"provider"`
	Fingerprint string `json:"fingerprint"`
}

// The states of a KeyRotation, in their order: the new key only decrypts, it encrypts what is written, and all data are
// written anew.
const (
	KeyReadOnly  = "ReadOnlyDeploy"
	KeyPromoted  = "WritePromote"
	KeyMigrating = "Migrating"
	KeyCompleted = "Completed"
)

// maxRotations is the length of the history.
const maxRotations = 5

// Reasons and messages of EtcdDataEncryptionUpToDate, source.
const (
	reasonReadOnly    = "ReadOnlyRolloutInProgress"
	reasonPromotion   = "WritePromotionInProgress"
	reasonKASWaits    = "ReEncryptionWaitingForKASConvergence"
	reasonReEncrypts  = "ReEncryptionInProgress"
	reasonReEncrypted = "ReEncryptionCompleted"
	reasonFailed      = "ReEncryptionFailed"
)

// KeyInitialized is the condition of data with their first key.
func KeyInitialized() Condition { return encrypted(reasonReEncrypted, "Encryption key initialized") }

func encrypted(reason, message string) Condition {
	return Condition{Kind: CondDataEncryption, Status: metav1.ConditionTrue, Reason: reason, Message: message}
}

// Advance returns what the config operator writes next for the key of the spec, and its condition, which is empty where
// it leaves that as it is. done reports whether what the state waits for has come to its end; failed is why the data
// cannot be written anew. A key that the spec names meanwhile comes after this one.
func (s *SecretEncryption) Advance(spec EncryptionKey, fingerprint func(EncryptionKey) string, done bool, failed string,
	now time.Time) (*SecretEncryption, Condition) {
	if s == nil {
		return &SecretEncryption{ActiveKey: spec}, KeyInitialized()
	}
	at := metav1.NewTime(now.Truncate(time.Second))
	next := &SecretEncryption{ActiveKey: s.ActiveKey, TargetKey: s.TargetKey, History: slices.Clone(s.History)}
	if s.TargetKey == nil {
		if spec == s.ActiveKey {
			return next, Condition{}
		}
		next.TargetKey = &spec
		begun := KeyRotation{State: KeyReadOnly, StartedTime: at, From: KeyReference{s.ActiveKey.Provider,
			fingerprint(s.ActiveKey)}, To: KeyReference{spec.Provider, fingerprint(spec)}}
		next.History = append([]KeyRotation{begun}, next.History[:min(len(next.History), maxRotations-1)]...)
		return next, False(CondDataEncryption, reasonReadOnly,
			"Encryption key rotation started: deploying new key as read-only")
	}
	latest := &next.History[0]
	switch {
	case latest.State == KeyReadOnly && !done:
		return next, False(CondDataEncryption, reasonKASWaits,
			"Waiting for KAS to converge with new encryption key in read-only mode")
	case latest.State == KeyReadOnly:
		latest.State = KeyPromoted
		return next, False(CondDataEncryption, reasonPromotion, "Promoting new encryption key to write provider")
	case latest.State == KeyPromoted && !done:
		return next, False(CondDataEncryption, reasonKASWaits,
			"Waiting for KAS to converge with new encryption key as write provider")
	case failed != "":
		latest.State = KeyMigrating
		return next, False(CondDataEncryption, reasonFailed, "Re-encryption failed for some resources: "+failed)
	case latest.State == KeyPromoted || !done:
		latest.State = KeyMigrating
		return next, False(CondDataEncryption, reasonReEncrypts, "Re-encrypting etcd data with new encryption key")
	}
	latest.State, latest.CompletionTime = KeyCompleted, &at
	next.ActiveKey, next.TargetKey = *next.TargetKey, nil
	return next, encrypted(reasonReEncrypted, "All etcd data is encrypted with the current active key")
}
