package cli

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/kube"
)

// completionTime bounds what a completion may ask of a cluster: with hcctl's own start it stays within 150 ms, after
// which a person notices that the shell waits.
const completionTime = 110 * time.Millisecond

// lookup lists names from the management cluster.
type lookup func(ctx context.Context, a *cmdutil.Factory, c *kube.Client) ([]string, error)

// candidate is a word that no shell reads anything into, nor takes for an option. Shells' scripts of completion
// evaluate what they are given.
var candidate = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_@%+=:,./-]{0,511}$`)

// harmless tells whether a word that somebody else chose may be completed.
func harmless(word string) bool { return candidate.MatchString(word) }

// completeLive offers names from the management cluster. What does not answer in time, or at all, offers nothing,
// without a word.
func completeLive(a *cmdutil.Factory, find lookup) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
		defer cancel()
		found := make(chan []string, 1)
		// A credential plugin does not end with the context: it is left to itself.
		go func() { found <- ask(ctx, a, find) }()
		var names []string
		select {
		case <-ctx.Done():
		case names = <-found:
		}
		names = slices.DeleteFunc(names, func(s string) bool { return !strings.HasPrefix(s, begun) || !harmless(s) })
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func ask(ctx context.Context, a *cmdutil.Factory, find lookup) []string {
	if a.CheckKubeconfigs() != nil || a.Nowhere() {
		return nil
	}
	cfg, err := a.KubeFlags.REST()
	if err != nil {
		return nil
	}
	cfg.WarningHandler = rest.NoWarnings{}
	if cfg.ExecProvider != nil {
		cfg.ExecProvider.InteractiveMode = clientcmdapi.NeverExecInteractiveMode
	}
	c, err := kube.New(cfg)
	if err != nil {
		return nil
	}
	names, err := find(ctx, a, c)
	if err != nil {
		return nil
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// listed are the names of a kind's objects: their metadata is all that is asked for.
func listed(ctx context.Context, c *kube.Client, gvk schema.GroupVersionKind, namespace string) ([]string, error) {
	var l metav1.PartialObjectMetadataList
	gvk.Kind += "List"
	l.SetGroupVersionKind(gvk)
	if err := c.Client.List(ctx, &l, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(l.Items))
	for i := range l.Items {
		names = append(names, l.Items[i].Name)
	}
	return names, nil
}

func namespaces(ctx context.Context, _ *cmdutil.Factory, c *kube.Client) ([]string, error) {
	return listed(ctx, c, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "")
}

func storageClasses(ctx context.Context, _ *cmdutil.Factory, c *kube.Client) ([]string, error) {
	return listed(ctx, c, schema.GroupVersionKind{Group: "storage.k8s.io", Version: "v1", Kind: "StorageClass"}, "")
}

func clusters(ctx context.Context, a *cmdutil.Factory, c *kube.Client) ([]string, error) {
	return listed(ctx, c, schema.GroupVersionKind{Group: "hypershift.openshift.io", Version: "v1beta1",
		Kind: "HostedCluster"}, cmdutil.ClustersNamespace(a))
}

func pools(ctx context.Context, a *cmdutil.Factory, c *kube.Client) ([]string, error) {
	return listed(ctx, c, schema.GroupVersionKind{Group: "hypershift.openshift.io", Version: "v1beta1", Kind: "NodePool"},
		cmdutil.ClustersNamespace(a))
}

// release is what a ClusterImageSet offers.
type release struct{ image, version, channel string }

// releaseForm finds the version in a ClusterImageSet's name, such as img4.20.3-multi-appsub.
var releaseForm = regexp.MustCompile(`(\d+\.\d+)\.\d+(?:-(?:ec|fc|rc)\.\d+)?`)

func releases(ctx context.Context, c *kube.Client) ([]release, error) {
	l := kube.ClusterImageSet.NewList()
	if err := c.Client.List(ctx, l); err != nil {
		return nil, err
	}
	var out []release
	for i := range l.Items {
		set := &l.Items[i]
		r := release{image: kube.Text(set, "spec", "releaseImage")}
		if m := releaseForm.FindStringSubmatch(set.GetName()); m != nil {
			r.version = m[0]
			if channel := set.GetLabels()["channel"]; channel != "" {
				r.channel = channel + "-" + m[1]
			}
		}
		if set.GetLabels()["visible"] != "false" {
			out = append(out, r)
		}
	}
	return out, nil
}

// pick makes a lookup of one part of the releases.
func pick(part func(release) string) lookup {
	return func(ctx context.Context, _ *cmdutil.Factory, c *kube.Client) ([]string, error) {
		all, err := releases(ctx, c)
		var names []string
		for _, r := range all {
			if s := part(r); s != "" {
				names = append(names, s)
			}
		}
		return names, err
	}
}

func releaseImages(ctx context.Context, a *cmdutil.Factory, c *kube.Client) ([]string, error) {
	return pick(func(r release) string { return r.image })(ctx, a, c)
}

func releaseVersions(ctx context.Context, a *cmdutil.Factory, c *kube.Client) ([]string, error) {
	return pick(func(r release) string { return r.version })(ctx, a, c)
}

func releaseChannels(ctx context.Context, a *cmdutil.Factory, c *kube.Client) ([]string, error) {
	return pick(func(r release) string { return r.channel })(ctx, a, c)
}
