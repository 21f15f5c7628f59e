package kubeconfig

import (
	"context"
	"errors"
	"fmt"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/plural"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest"
	"github.com/hcctl/hcctl/pkg/hostedcluster/guest/adminkubeconfig"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kubeconfig"
)

// leftOut are hosted clusters without a kubeconfig, with the reasons.
type leftOut []left

// left is one of them.
type left struct {
	HostedCluster string `json:"hostedCluster"`
	Why           string `json:"why"`
	err           error
}

// err returns an error that names them all.
func (l leftOut) err(of int) error {
	if len(l) == 0 {
		return nil
	}
	parts := make([]string, 0, len(l))
	for _, one := range l {
		parts = append(parts, fmt.Sprintf("%s: %s", one.HostedCluster, one.Why))
	}
	err := fmt.Errorf("%d of %s left out: %s", len(l), plural.Count(of, "hosted cluster"), strings.Join(parts, "; "))
	for _, one := range l {
		var refused *guest.RefusedError
		if errors.As(one.err, &refused) {
			return &withRefused{err, refused}
		}
	}
	for _, one := range l {
		if hostedcluster.IsNotFound(one.err) {
			return cmdutil.WithHint(err, "%s lists all hosted clusters", hint.Run("get clusters").Flag("A"))
		}
	}
	for _, one := range l {
		var late *kubeconfig.NotReadyError
		if !errors.As(one.err, &late) {
			return err
		}
	}
	return cmdutil.Missing(err, "--wait waits for them")
}

// withRefused is an error about several clusters, one of which has a refused kubeconfig. That one decides the
// exit code and the hint.
type withRefused struct {
	error
	refused *guest.RefusedError
}

func (e *withRefused) Unwrap() error { return e.refused }

// fetchEntries reads the kubeconfigs. With several clusters, a failure of some does not stop the others.
func fetchEntries(ctx context.Context, t *cmdutil.Target, f *kubeconfigFlags,
	clusters []hyperv1.HostedCluster) ([]kubeconfig.Entry, leftOut, error) {
	var entries []kubeconfig.Entry
	var late leftOut
	read, errs := make([]*adminkubeconfig.Access, len(clusters)), make([]error, len(clusters))
	kube.Parallelize(len(clusters), f.atOnce(len(clusters)), func(i int) {
		read[i], errs[i] = kubeconfig.AccessOf(ctx, t.Client, &clusters[i], f.variant())
	})
	for i := range clusters {
		hc, access, err := &clusters[i], read[i], errs[i]
		if err != nil {
			if f.name != "" || ctx.Err() != nil {
				return nil, nil, err
			}
			late = append(late, left{kube.Name(hc), why(err), err})
			continue
		}
		e := kubeconfig.EntryOf(hc, t.Server, access)
		if f.contextName != "" {
			e.Context = f.contextName
		}
		entries = append(entries, e)
	}
	return entries, late, nil
}

// why returns the message of an error without the name of the cluster, which precedes it.
func why(err error) string {
	var late *kubeconfig.NotReadyError
	var none *kubeconfig.NoVariantError
	switch {
	case errors.As(err, &late) && late.Message != "":
		return "no kubeconfig yet: " + late.Message
	case errors.As(err, &late):
		return "no kubeconfig yet"
	case errors.As(err, &none):
		return "no DNS name of its own"
	}
	return cmdutil.Sentence(err)
}

// printEntries prints one kubeconfig with the operator's names, or several merged into one.
func printEntries(a *cmdutil.Factory, f *kubeconfigFlags, entries []kubeconfig.Entry) error {
	data, err := entries[0].Access.Kubeconfig()
	if f.name == "" {
		data, err = kubeconfig.Join(entries)
	}
	if err != nil {
		return err
	}
	if f.output == "json" {
		var document map[string]any
		if err := yaml.Unmarshal(data, &document); err != nil {
			return err
		}
		return cmdutil.WriteJSON(a.Streams.Out, document)
	}
	return a.Streams.Document(data)
}

// FetchOne reads the admin kubeconfig of one hosted cluster.
func FetchOne(
	ctx context.Context, a *cmdutil.Factory, t *cmdutil.Target, name string, variant kubeconfig.Variant,
) (*adminkubeconfig.Access, error) {
	namespace := cmdutil.ClustersNamespace(a.Call)
	r := kube.ReadAhead(ctx, t.Client, guest.AdminSecret(namespace, name))
	hc, err := hostedcluster.Find(ctx, r, namespace, name)
	if err != nil {
		return nil, err
	}
	return kubeconfig.AccessOf(ctx, r, hc, variant)
}
