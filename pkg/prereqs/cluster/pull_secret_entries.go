package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/safefile"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	removePullSecret step.ID = "uninstall/pull-secret" //nolint:gosec // it is a name
	// addedAnnotation of the pull secret holds the entries that hcctl added: {"REGISTRY": "CHECKSUM"}. The checksum is too
	// short to recover a password, and long enough to detect a replaced entry.
	addedAnnotation = "hcctl.dev/pull-secret-entries"
	checksumLength  = 4
	maxPullSecret   = 1 << 20
)

// entries maps registries to the raw entries of a docker config.
type entries map[string]json.RawMessage

// entriesOf parses a docker config into the whole object and its entries. Its errors show nothing of the content.
func entriesOf(content []byte) (whole map[string]json.RawMessage, auths entries, err error) {
	if _, err := readPullSecret(content); err != nil {
		return nil, nil, err
	}
	if err = json.Unmarshal(content, &whole); err == nil {
		err = json.Unmarshal(whole["auths"], &auths)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s is not JSON of the form {\"auths\":{...}}", corev1.DockerConfigJsonKey)
	}
	return whole, auths, nil
}

// login returns the user and password of an entry, in base64.
func login(entry json.RawMessage) string {
	var e struct{ Auth, Username, Password string }
	if json.Unmarshal(entry, &e) != nil {
		return ""
	}
	if e.Auth == "" && e.Username != "" {
		return base64.StdEncoding.EncodeToString([]byte(e.Username + ":" + e.Password))
	}
	return e.Auth
}

func checksum(registry string, entry json.RawMessage) string {
	sum := sha256.Sum256([]byte(registry + "\n" + login(entry)))
	return hex.EncodeToString(sum[:checksumLength])
}

// addedTo returns the checksums of entries that hcctl added to a pull secret and that have not been replaced, by
// registry.
func addedTo(secret *corev1.Secret, auths entries) map[string]string {
	out := map[string]string{}
	if json.Unmarshal([]byte(secret.Annotations[addedAnnotation]), &out) != nil {
		return map[string]string{}
	}
	maps.DeleteFunc(out, func(registry, sum string) bool {
		entry, found := auths[registry]
		return !found || checksum(registry, entry) != sum
	})
	return out
}

func (s pullSecret) wanted() (entries, error) {
	content, err := safefile.Read(s.added, maxPullSecret)
	if err != nil {
		return nil, fmt.Errorf("mirrors.pullSecret: %w", err)
	}
	_, auths, err := entriesOf(content)
	if err != nil {
		return nil, fmt.Errorf("mirrors.pullSecret: %s: %w", s.added, err)
	}
	return auths, nil
}

// lacking returns a finding about wanted entries that the pull secret lacks, or nodes that do not have it yet, or nil.
// It names registries, and shows no entry.
func (s pullSecret) lacking(ctx context.Context, r kube.Reader, secret *corev1.Secret) *step.Finding {
	if s.added == "" || secret.Type != corev1.SecretTypeDockerConfigJson {
		return nil
	}
	wanted, err := s.wanted()
	if err != nil {
		f := step.Broken("%v", err).On(pullSecretName)
		return &f
	}
	_, now, err := entriesOf(secret.Data[corev1.DockerConfigJsonKey])
	if err != nil {
		return nil // the check says so
	}
	own := addedTo(secret, now)
	var lacking, foreign []string
	for _, registry := range slices.Sorted(maps.Keys(wanted)) {
		entry, found := now[registry]
		switch {
		case found && login(entry) == login(wanted[registry]):
		case found && own[registry] == "":
			foreign = append(foreign, registry)
		default:
			lacking = append(lacking, registry)
		}
	}
	if len(foreign) > 0 {
		text := fmt.Sprintf("its entries of %s are others than those of %s", prereq.Listed(foreign), s.added)
		// The managed fields show the owner of the whole text, not of an entry.
		if !s.takeOver[PullSecret] {
			f := step.Broken("%s: hcctl keeps what others have decided", text).On(pullSecretName).
				WithHint("if hcctl is to replace them: %s", hint.Run("bootstrap").Flag("take-over", PullSecret))
			return &f
		}
		lacking = append(lacking, foreign...)
	}
	if len(lacking) > 0 {
		f := step.Missing("it has no credentials for %s as %s has them", prereq.Listed(lacking), s.added).On(pullSecretName)
		return &f
	}
	if changed := writtenByHcctl(secret); !changed.IsZero() {
		return rolledOut(ctx, r, changed)
	}
	return nil
}

// writtenByHcctl returns when hcctl last wrote an object, or the zero time.
func writtenByHcctl(o metav1.Object) (last time.Time) {
	for _, entry := range o.GetManagedFields() {
		if entry.Manager == kube.FieldOwner && entry.Time != nil && entry.Time.After(last) {
			last = entry.Time.Time
		}
	}
	return last
}

// apply adds the wanted entries. An existing entry stays, unless hcctl added it or the step is taken over.
func (s pullSecret) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	wanted, err := s.wanted()
	if err != nil {
		return "", err
	}
	return changeEntries(ctx, c, func(auths entries, own map[string]string) bool {
		changed := false
		for registry, entry := range wanted {
			now, found := auths[registry]
			if found && (login(now) == login(entry) || own[registry] == "" && !s.takeOver[PullSecret]) {
				continue
			}
			auths[registry], own[registry], changed = entry, checksum(registry, entry), true
		}
		return changed
	})
}

// changeEntries writes the pull secret with changed entries. It fails with a conflict if the Secret has changed since
// it was read. All other content stays.
func changeEntries(ctx context.Context, c *kube.Client, change func(auths entries, own map[string]string) bool) (
	step.Change, error) {
	secret := &corev1.Secret{}
	if err := c.Get(ctx, pullSecretKey, secret); err != nil {
		return "", fmt.Errorf("%s: %w", pullSecretName, err)
	}
	whole, auths, err := entriesOf(secret.Data[corev1.DockerConfigJsonKey])
	if err != nil {
		return "", fmt.Errorf("%s: %w", pullSecretName, err)
	}
	own := addedTo(secret, auths)
	if !change(auths, own) {
		return step.Unchanged, nil
	}
	if whole["auths"], err = json.Marshal(auths); err != nil {
		return "", err
	}
	content, err := json.Marshal(whole)
	if err != nil {
		return "", err
	}
	var annotation any
	if len(own) > 0 {
		text, err := json.Marshal(own)
		if err != nil {
			return "", err
		}
		annotation = string(text)
	}
	patch, err := json.Marshal(map[string]any{
		"metadata": map[string]any{"resourceVersion": secret.ResourceVersion,
			"annotations": map[string]any{addedAnnotation: annotation}},
		"data": map[string]any{corev1.DockerConfigJsonKey: content}})
	if err != nil {
		return "", err
	}
	return prereq.MergePatch(ctx, c, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: pullSecretKey.Namespace,
		Name: pullSecretKey.Name}}, string(patch))
}

// entriesRemoval removes the entries that hcctl added and that have not been replaced. Entries of registries in a
// remaining mirror set stay: nodes pull from those.
type entriesRemoval struct{}

// needed splits hcctl's entries into those that can be removed and those that a mirror set still needs.
func (entriesRemoval) needed(ctx context.Context, r kube.Reader) (free, needed []string, err error) {
	secret := &corev1.Secret{}
	if err := r.Get(ctx, pullSecretKey, secret); err != nil {
		return nil, nil, err
	}
	_, auths, err := entriesOf(secret.Data[corev1.DockerConfigJsonKey])
	own := addedTo(secret, auths)
	if err != nil || len(own) == 0 {
		return nil, nil, nil //nolint:nilerr // there is nothing of hcctl's in it
	}
	hosts, err := prereq.MirrorHosts(ctx, r)
	if err != nil {
		return nil, nil, err
	}
	for _, registry := range slices.Sorted(maps.Keys(own)) {
		if slices.Contains(hosts, prereq.RegistryOf(registry)) {
			needed = append(needed, registry)
		} else {
			free = append(free, registry)
		}
	}
	return free, needed, nil
}

func (s entriesRemoval) check(ctx context.Context, r kube.Reader) step.Finding {
	free, needed, err := s.needed(ctx, r)
	switch {
	case apierrors.IsNotFound(err):
		return step.OK("there is none").On(pullSecretName)
	case err != nil:
		return kube.Unknown(err).On(pullSecretName)
	case len(free) > 0:
		return step.Missing("it has entries that hcctl added: %s", strings.Join(free, ", ")).On(pullSecretName)
	case len(needed) > 0:
		return step.OK("left as they are: mirror sets of others need the entries of %s", strings.Join(needed, ", ")).
			On(pullSecretName)
	}
	return step.OK("hcctl added no entry").On(pullSecretName)
}

func (s entriesRemoval) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	free, _, err := s.needed(ctx, c)
	if err != nil || len(free) == 0 {
		return step.Unchanged, err
	}
	return changeEntries(ctx, c, func(auths entries, own map[string]string) bool {
		for _, registry := range free {
			delete(auths, registry)
			delete(own, registry)
		}
		return true
	})
}
