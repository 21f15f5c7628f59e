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
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/hostedcluster/deletion"
	"github.com/hcctl/hcctl/pkg/kube"
)

// secrets learns the content of the Secrets around the cluster, to take it out wherever it turns up.
func (d *Dump) secrets(ctx context.Context) string {
	var mu sync.Mutex
	var wg sync.WaitGroup
	n := 0
	var unread []string
	for _, namespace := range []string{d.options.Namespace, d.controlPlane(), hypershiftNamespace} {
		wg.Go(func() {
			d.request(ctx, "the content of secrets in namespace "+namespace, func(ctx context.Context) error {
				kind, err := d.client.DiscoverResource(ctx, schema.GroupResource{Resource: "secrets"})
				if err != nil {
					return err
				}
				err = d.each(ctx, d.client, kind, namespace, func(items []unstructured.Unstructured) error {
					mu.Lock()
					defer mu.Unlock()
					n += len(items)
					return d.learn(items)
				})
				if kube.IsTooLarge(err) || errors.Is(err, errUnsafe) {
					d.refuse()
				}
				mu.Lock()
				defer mu.Unlock()
				// Nobody's role has these: with the operator's token one may do nearly anything. Nothing of them is gathered
				// either.
				if namespace == hypershiftNamespace && apierrors.IsForbidden(err) {
					unread = append(unread, namespace)
					return nil
				}
				return err
			})
		})
	}
	wg.Wait()
	words := "the content of " + counted(n, "Secret") + " is taken out wherever it turns up"
	if len(unread) > 0 {
		words += "; that of namespace " + strings.Join(unread, ", ") + " may not be read, and is known by its form only"
	}
	return words
}

// learn has the content of Secrets looked for wherever it turns up. It fails with errUnsafe if it is too much.
func (d *Dump) learn(items []unstructured.Unstructured) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range items {
		data := content(&items[i])
		for _, value := range data {
			d.learnt += int64(len(value))
		}
		if d.learnt > secretBytes {
			return errUnsafe
		}
		d.redaction.Learn(data)
	}
	return nil
}

// refuse ends the dump: what is gathered may have secrets in it.
func (d *Dump) refuse() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unsafe = errUnsafe
}

// each hands f the objects of a kind in a namespace, or (empty) in all, some at a time. Who may not list the Secrets
// beside the HostedCluster gets those of the cluster by name, and in a namespace that is not there nobody needs a right
// to find nothing.
func (d *Dump) each(ctx context.Context, c *kube.Client, k kube.Kind, namespace string,
	f func([]unstructured.Unstructured) error) error {
	err := c.EachPage(ctx, k, namespace, f)
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
	for _, name := range append(deletion.CompanionSecrets(d.options.Name), d.options.Name+"-admin-kubeconfig",
		d.options.Name+"-kubeadmin-password") {
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

// noNamespace tells whether it is known that there is no such namespace.
func (d *Dump) noNamespace(ctx context.Context, name string) bool {
	return name != "" && apierrors.IsNotFound(d.client.Get(ctx, client.ObjectKey{Name: name}, &corev1.Namespace{}))
}

// content is the data of a Secret.
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
