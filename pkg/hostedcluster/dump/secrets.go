package dump

import (
	"context"
	"encoding/base64"
	"errors"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// secrets reads the Secrets of the cluster and its operators, so that their content can be removed from everything
// else.
func (d *Dump) secrets(ctx context.Context) string {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	var unread []string
	namespaces := []string{d.options.Namespace, d.controlPlane(), hostedcluster.OperatorNamespace}
	if !d.options.Secrets {
		namespaces, unread = namespaces[:1], namespaces[1:]
	}
	for _, namespace := range namespaces {
		wg.Go(func() {
			d.request(ctx, "the content of secrets in namespace "+namespace, func(ctx context.Context) error {
				kind, err := d.client.DiscoverResource(ctx, schema.GroupResource{Resource: "secrets"})
				if err != nil {
					return err
				}
				err = d.eachPage(ctx, d.client, kind, query{namespace: namespace}, func(items []unstructured.Unstructured) error {
					mu.Lock()
					defer mu.Unlock()
					n += len(items)
					return d.learnSecrets(items)
				})
				if transport.IsTooLarge(err) || errors.Is(err, errUnsafe) {
					d.stopUnsafe()
				}
				mu.Lock()
				defer mu.Unlock()
				// No role includes these, because the operator's token permits nearly everything. They are not collected either.
				if namespace == hostedcluster.OperatorNamespace && apierrors.IsForbidden(err) {
					unread = append(unread, namespace)
					return nil
				}
				return err
			})
		})
	}
	wg.Wait()
	words := "the content of " + plural.Count(n, "Secret") + " is removed wherever it occurs"
	if len(unread) > 0 {
		words += "; that of namespace " + strings.Join(unread, ", ") + " is not read, so it is recognized only by its form"
	}
	return words
}

// learnSecrets adds the content of Secrets to the redaction. It fails with errUnsafe above secretBytes.
func (d *Dump) learnSecrets(items []unstructured.Unstructured) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range items {
		data := content(&items[i])
		for _, value := range data {
			d.secretsSize += int64(len(value))
		}
		if d.secretsSize > secretBytes {
			return errUnsafe
		}
		d.redaction.Learn(data)
	}
	return nil
}

// stopUnsafe ends the dump, because it could contain secrets.
func (d *Dump) stopUnsafe() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unsafeErr = errUnsafe
}

// eachPage calls f with the objects of a kind, page by page. For a user who may not list Secrets it reads those of the
// cluster by name. It returns no error for a namespace that does not exist.
func (d *Dump) eachPage(ctx context.Context, c *kube.Client, k kube.Kind, q query,
	f func([]unstructured.Unstructured) error) error {
	namespace := q.namespace
	err := c.EachPage(ctx, k, namespace, q.selector, f)
	if c != d.client || !apierrors.IsForbidden(err) {
		return err
	}
	if d.noNamespace(ctx, namespace) {
		return nil
	}
	if namespace != d.options.Namespace || k.Group != "" || k.Kind != "Secret" {
		return err
	}
	var found []unstructured.Unstructured
	for _, name := range append(deletion.CompanionSecrets(d.options.Name),
		hostedcluster.AdminKubeconfigName(d.options.Name), d.options.Name+"-kubeadmin-password") {
		secret := k.New()
		switch missing := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, secret); {
		case missing == nil:
			found = append(found, *secret)
		case apierrors.IsForbidden(missing):
			return errors.Join(err, f(found))
		case !apierrors.IsNotFound(missing):
			return errors.Join(missing, f(found))
		}
	}
	return f(found)
}

// noNamespace reports whether the namespace is known not to exist.
func (d *Dump) noNamespace(ctx context.Context, name string) bool {
	return name != "" && apierrors.IsNotFound(d.client.Get(ctx, client.ObjectKey{Name: name}, &corev1.Namespace{}))
}

// content returns the decoded data of a Secret.
func content(u *unstructured.Unstructured) map[string][]byte {
	data, _, _ := unstructured.NestedStringMap(u.Object, "data")
	out := make(map[string][]byte, len(data))
	for key, value := range data {
		if plain, err := base64.StdEncoding.DecodeString(value); err == nil {
			out[key] = plain
		}
	}
	return out
}
