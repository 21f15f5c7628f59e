package cluster

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	configv1 "github.com/openshift/api/config/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/internal/pemfile"
	"github.com/hcctl/hcctl/internal/safefile"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/removal"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

const (
	removeCertificates step.ID = "uninstall/registry-certificates"
	// ownCertificates names the ConfigMap that hcctl creates if Image cluster names none.
	ownCertificates = "hcctl-registry-certificates"
	// maxCertificates limits the size of one file of certificates in bytes; a whole ConfigMap holds 1 MiB.
	maxCertificates = 256 << 10
)

// readCertificateFiles returns the wanted certificates by ConfigMap key.
func (m MirrorOptions) readCertificateFiles() (map[string]string, error) {
	out := map[string]string{}
	for _, host := range slices.Sorted(maps.Keys(m.Certificates)) {
		content, err := safefile.Read(m.Certificates[host], maxCertificates)
		if err != nil {
			return nil, fmt.Errorf("mirrors.certificates.%s: %w", host, err)
		}
		if err := pemfile.CheckCertificates(content); err != nil {
			return nil, fmt.Errorf("mirrors.certificates.%s: %s: %w", host, m.Certificates[host], err)
		}
		out[caKey(host)] = strings.TrimSpace(string(content)) + "\n"
	}
	return out, nil
}

// trusted holds the cluster's trusted certificates of registries.
type trusted struct {
	image *configv1.Image
	// name is the ConfigMap that Image cluster names, or the one that hcctl will create.
	name string
	// found is nil if the ConfigMap does not exist.
	found *corev1.ConfigMap
}

func readTrusted(ctx context.Context, r client.Reader) (trusted, error) {
	t := trusted{image: &configv1.Image{}}
	if err := r.Get(ctx, types.NamespacedName{Name: "cluster"}, t.image); err != nil {
		return t, fmt.Errorf("image cluster: %w", err)
	}
	if t.name = t.image.Spec.AdditionalTrustedCA.Name; t.name == "" {
		t.name = ownCertificates
	}
	ca := &corev1.ConfigMap{}
	err := r.Get(ctx, types.NamespacedName{Namespace: configNamespace, Name: t.name}, ca)
	switch {
	case apierrors.IsNotFound(err):
	case err != nil:
		return t, fmt.Errorf("ConfigMap %s/%s: %w", configNamespace, t.name, err)
	default:
		t.found = ca
	}
	return t, nil
}

// value returns the ConfigMap's value of a key, and whether the wanted certificates are missing in it.
func (t trusted) value(key, want string) (now string, missing bool) {
	if t.found != nil {
		now = t.found.Data[key]
	}
	return now, !strings.Contains(now, strings.TrimSpace(want))
}

// certificates returns a finding about wanted certificates that nodes do not trust yet, or nil.
func (s mirrors) certificates(ctx context.Context, r kube.Reader) *step.Finding {
	wanted, err := s.o.readCertificateFiles()
	if err != nil {
		f := step.Broken("%v", err).On("Image cluster")
		return &f
	}
	if len(wanted) == 0 {
		return nil
	}
	t, err := readTrusted(ctx, r)
	if err != nil {
		f := kube.Unknown(err).On("Image cluster")
		return &f
	}
	on := fmt.Sprintf("ConfigMap %s/%s", configNamespace, t.name)
	var lacking []string
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		now, missing := t.value(key, wanted[key])
		switch {
		case missing && now != "":
			if f := s.takeOver.Decided(Mirrors, t.found, "it has other certificates for "+hostOf(key), "data", key); f != nil {
				g := f.On("%s", on)
				return &g
			}
			fallthrough
		case missing:
			lacking = append(lacking, hostOf(key))
		}
	}
	switch {
	case len(lacking) > 0:
		f := step.Missing("it has no certificates for %s", prereq.Listed(lacking)).On("%s", on)
		return &f
	case t.image.Spec.AdditionalTrustedCA.Name == "":
		f := step.Missing("spec.additionalTrustedCA is not set").On("Image cluster")
		return &f
	}
	return nil
}

// hostOf returns the registry of a ConfigMap key.
func hostOf(key string) string { return strings.ReplaceAll(key, "..", ":") }

// applyCertificates adds the wanted certificates to the trusted ones. Foreign certificates stay: if the step is taken
// over, the wanted ones are appended to them.
func (s mirrors) applyCertificates(ctx context.Context, c *kube.Client) (step.Change, error) {
	wanted, err := s.o.readCertificateFiles()
	if err != nil || len(wanted) == 0 {
		return step.Unchanged, err
	}
	t, err := readTrusted(ctx, c)
	if err != nil {
		return "", err
	}
	change := step.Unchanged
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		now, missing := t.value(key, wanted[key])
		switch {
		case !missing:
			wanted[key] = now
		case now == "" || slices.Contains(appliedKeys(t.found), key):
		default:
			wanted[key] = strings.TrimSpace(now) + "\n" + wanted[key]
			patched, err := mergeData(ctx, c, t.found, map[string]string{key: wanted[key]})
			if err != nil {
				return change, err
			}
			change = step.Join(change, patched)
		}
	}
	u := kube.ConfigMap.New()
	u.SetNamespace(configNamespace)
	u.SetName(t.name)
	data := map[string]any{}
	for key, value := range wanted {
		data[key] = value
	}
	u.Object["data"] = data
	one, err := c.Apply(ctx, u)
	if err != nil {
		return change, err
	}
	if change = step.Join(change, one); t.image.Spec.AdditionalTrustedCA.Name != "" {
		return change, nil
	}
	one, err = nameCertificates(ctx, c, t.name)
	return step.Join(change, one), err
}

func mergeData(ctx context.Context, c *kube.Client, ca *corev1.ConfigMap, data map[string]string) (step.Change, error) {
	patch, err := json.Marshal(map[string]any{"data": data,
		"metadata": map[string]any{"resourceVersion": ca.ResourceVersion}})
	if err != nil {
		return "", err
	}
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ca.Namespace, Name: ca.Name}}
	return prereq.MergePatch(ctx, c, object, string(patch))
}

// nameCertificates sets the ConfigMap in Image cluster; "" removes it.
func nameCertificates(ctx context.Context, c *kube.Client, name string) (step.Change, error) {
	var ref any
	if name != "" {
		ref = map[string]string{"name": name}
	}
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"additionalTrustedCA": ref}})
	if err != nil {
		return "", err
	}
	return prereq.MergePatch(ctx, c, &configv1.Image{ObjectMeta: metav1.ObjectMeta{Name: "cluster"}}, string(patch))
}

// certificatesRemoval removes hcctl's certificates from the ConfigMap. It also removes the ConfigMap from Image
// cluster, if hcctl set it and nothing else is in it.
type certificatesRemoval struct{}

// appliedKeys returns the keys of a ConfigMap that only hcctl has written.
func appliedKeys(ca *corev1.ConfigMap) []string {
	by := map[string]int{}
	own := map[string]bool{}
	for _, entry := range ca.ManagedFields {
		if entry.FieldsV1 == nil {
			continue
		}
		var fields struct {
			Data map[string]any `json:"f:data"`
		}
		if json.NewDecoder(bytes.NewReader(entry.FieldsV1.GetRawBytes())).Decode(&fields) != nil {
			continue
		}
		for name := range fields.Data {
			key := strings.TrimPrefix(name, "f:")
			by[key]++
			if entry.Manager == kube.FieldOwner && entry.Operation == metav1.ManagedFieldsOperationApply {
				own[key] = true
			}
		}
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(own)), func(key string) bool { return by[key] > 1 || key == "." })
}

// left returns hcctl's keys in the ConfigMap, whether hcctl owns the ConfigMap, and whether it has other keys.
func (t trusted) left() (keys []string, own, others bool) {
	if t.found == nil {
		return nil, false, false
	}
	keys = appliedKeys(t.found)
	return keys, removal.Owned(t.found), len(t.found.Data) > len(keys)
}

func (certificatesRemoval) check(ctx context.Context, r kube.Reader) step.Finding {
	t, err := readTrusted(ctx, r)
	if apierrors.IsNotFound(err) || kube.IsKindMissing(err) {
		return step.OK("there are none").On("Image cluster")
	}
	if err != nil {
		return kube.Unknown(err).On("Image cluster")
	}
	on := fmt.Sprintf("ConfigMap %s/%s", configNamespace, t.name)
	keys, own, others := t.left()
	switch {
	case t.found == nil:
		return step.OK("there are none").On("Image cluster")
	case len(keys) > 0:
		return step.Missing("it has hcctl's certificates for %s", prereq.Listed(hosts(keys))).On("%s", on)
	case own && !others:
		return step.Missing("created by hcctl and still there").On("%s", on)
	}
	return step.OK("left as it is: what is in it is not hcctl's").On("%s", on)
}

func hosts(keys []string) []string {
	out := make([]string, len(keys))
	for i, key := range keys {
		out[i] = hostOf(key)
	}
	return out
}

func (certificatesRemoval) apply(ctx context.Context, c *kube.Client) (step.Change, error) {
	t, err := readTrusted(ctx, c)
	if err != nil || t.found == nil {
		return step.Unchanged, err
	}
	keys, own, others := t.left()
	change := step.Unchanged
	if own && !others {
		if removal.SetByHcctl(t.image, "f:spec", "f:additionalTrustedCA", "f:name") {
			if change, err = nameCertificates(ctx, c, ""); err != nil {
				return change, err
			}
		}
		one, err := c.DeleteUnchanged(ctx, t.found)
		return step.Join(change, one), err
	}
	if len(keys) == 0 {
		return step.Unchanged, nil
	}
	u := kube.ConfigMap.New()
	u.SetNamespace(configNamespace)
	u.SetName(t.name)
	return c.Apply(ctx, u)
}
