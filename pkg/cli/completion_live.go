package cli

import (
	"context"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// completionTimeout bounds the requests of a completion. It is enough for an API server with a round-trip time
// of 100 ms: connection, TLS and one request take three round trips.
const completionTimeout = 350 * time.Millisecond

// lookup lists names from the management cluster.
type lookup func(ctx context.Context, a *cmdutil.Factory, c *kube.Client) ([]string, error)

// candidate matches words that no shell interprets or takes for an option. The completion scripts of shells
// evaluate the words.
var candidate = lazyregexp.New(`^[A-Za-z0-9][A-Za-z0-9_@%+=:,./-]{0,511}$`)

// isSafeCandidate reports whether a name from the cluster may be a completion.
func isSafeCandidate(word string) bool { return candidate.MatchString(word) }

// completeLive completes names from the management cluster. Without an answer within completionTimeout it
// completes nothing.
func completeLive(a *cmdutil.Factory, find lookup) cobra.CompletionFunc {
	return completeInTime(a, func(ctx context.Context, c *kube.Client, _ *cobra.Command, _ []string) ([]string, error) {
		names, err := find(ctx, a, c)
		slices.Sort(names)
		return slices.Compact(names), err
	}, cobra.ShellCompDirectiveNoFileComp)
}

// lineLookup lists words from the management cluster for the command line so far.
type lineLookup func(ctx context.Context, c *kube.Client, cmd *cobra.Command, args []string) ([]string, error)

// completeInTime completes words in the order of find. Without an answer within completionTimeout it completes
// nothing.
func completeInTime(a *cmdutil.Factory, find lineLookup, directive cobra.ShellCompDirective) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTimeout)
		defer cancel()
		found := make(chan []string, 1)
		// A credential plugin does not end with the context, so this goroutine may outlive it.
		go func() {
			found <- lookupNames(a, func(c *kube.Client) ([]string, error) { return find(ctx, c, cmd, args) })
		}()
		var names []string
		select {
		case <-ctx.Done():
		case names = <-found:
		}
		names = slices.DeleteFunc(names, func(s string) bool { return !strings.HasPrefix(s, begun) || !isSafeCandidate(s) })
		return names, directive
	}
}

func lookupNames(a *cmdutil.Factory, find func(*kube.Client) ([]string, error)) []string {
	if a.Connection.CheckKubeconfigs() != nil || a.Connection.NoClusterConfigured() {
		return nil
	}
	cfg, err := a.Call.KubeFlags.REST()
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
	names, err := find(c)
	if err != nil {
		return nil
	}
	return names
}

// completeOf completes names that belong to the hosted cluster in the first argument.
func completeOf(a *cmdutil.Factory,
	find func(ctx context.Context, r client.Reader, namespace, name string) ([]string, error)) cobra.CompletionFunc {
	return completeInTime(a, func(ctx context.Context, c *kube.Client, _ *cobra.Command, args []string) ([]string, error) {
		return find(ctx, c.Client, cmdutil.ClustersNamespace(a.Call), args[0])
	}, cobra.ShellCompDirectiveNoFileComp)
}

// machines returns the names of the worker VMs of a hosted cluster. Its nodes have the same names.
func machines(ctx context.Context, r client.Reader, namespace, name string) ([]string, error) {
	var l metav1.PartialObjectMetadataList
	l.SetGroupVersionKind(schema.GroupVersionKind{Group: "kubevirt.io", Version: "v1",
		Kind: "VirtualMachineInstanceList"})
	err := r.List(ctx, &l, client.InNamespace(hostedcluster.ControlPlaneNamespace(namespace, name)))
	var names []string
	for i := range l.Items {
		if l.Items[i].Labels[hyperv1.NodePoolNameLabel] != "" {
			names = append(names, l.Items[i].Name)
		}
	}
	return names, err
}

// listNames returns the names of a kind's objects. It reads only their metadata.
func listNames(ctx context.Context, c *kube.Client, gvk schema.GroupVersionKind, namespace string) ([]string, error) {
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
	return listNames(ctx, c, schema.GroupVersionKind{Version: "v1", Kind: "Namespace"}, "")
}

func storageClasses(ctx context.Context, _ *cmdutil.Factory, c *kube.Client) ([]string, error) {
	return listNames(ctx, c, schema.GroupVersionKind{Group: "storage.k8s.io", Version: "v1", Kind: "StorageClass"}, "")
}

func clusters(ctx context.Context, a *cmdutil.Factory, c *kube.Client) ([]string, error) {
	return listNames(ctx, c, schema.GroupVersionKind{Group: "hypershift.openshift.io", Version: "v1beta1",
		Kind: "HostedCluster"}, cmdutil.ClustersNamespace(a.Call))
}

func pools(ctx context.Context, a *cmdutil.Factory, c *kube.Client) ([]string, error) {
	return listNames(ctx, c, schema.GroupVersionKind{Group: "hypershift.openshift.io", Version: "v1beta1",
		Kind: "NodePool"},
		cmdutil.ClustersNamespace(a.Call))
}

func nodes(ctx context.Context, _ *cmdutil.Factory, c *kube.Client) ([]string, error) {
	return listNames(ctx, c, schema.GroupVersionKind{Version: "v1", Kind: "Node"}, "")
}

// imageSet is the release image and the channel of a ClusterImageSet.
type imageSet struct{ image, channel string }

// releaseForm matches the version in a ClusterImageSet's name, such as img4.20.3-multi-appsub.
var releaseForm = lazyregexp.New(`(\d+\.\d+)\.\d+(?:-(?:ec|fc|rc)\.\d+)?`)

func releases(ctx context.Context, c *kube.Client) ([]imageSet, error) {
	l := kube.ClusterImageSet.NewList()
	if err := c.Client.List(ctx, l); err != nil {
		return nil, err
	}
	var out []imageSet
	for i := range l.Items {
		set := &l.Items[i]
		r := imageSet{image: kube.Text(set, "spec", "releaseImage")}
		if m := releaseForm.FindStringSubmatch(set.GetName()); m != nil {
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

// releaseField returns one field of the releases.
func releaseField(ctx context.Context, c *kube.Client, part func(imageSet) string) ([]string, error) {
	all, err := releases(ctx, c)
	var names []string
	for _, r := range all {
		if s := part(r); s != "" {
			names = append(names, s)
		}
	}
	return names, err
}

func releaseImages(ctx context.Context, _ *cmdutil.Factory, c *kube.Client) ([]string, error) {
	return releaseField(ctx, c, func(r imageSet) string { return r.image })
}

func releaseChannels(ctx context.Context, _ *cmdutil.Factory, c *kube.Client) ([]string, error) {
	return releaseField(ctx, c, func(r imageSet) string { return r.channel })
}
