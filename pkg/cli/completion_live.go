package cli

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/kube"
)

// completionTime bounds the requests of a completion. With hcctl's start it stays within 150 ms, which a person does
// not notice.
const completionTime = 110 * time.Millisecond

// lookup lists names from the management cluster.
type lookup func(ctx context.Context, a *cmdutil.Factory, c *kube.Client) ([]string, error)

// candidate matches words that no shell interprets or takes for an option. Completion scripts of shells evaluate what
// they get.
var candidate = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_@%+=:,./-]{0,511}$`)

// isSafeCandidate reports whether a name from the cluster may be completed.
func isSafeCandidate(word string) bool { return candidate.MatchString(word) }

// completeLive completes names from the management cluster. Without an answer in time it completes nothing.
func completeLive(a *cmdutil.Factory, find lookup) cobra.CompletionFunc {
	return func(cmd *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		ctx, cancel := context.WithTimeout(cmd.Context(), completionTime)
		defer cancel()
		found := make(chan []string, 1)
		// A credential plugin does not end with the context, so nobody waits for it.
		go func() { found <- lookupNames(ctx, a, find) }()
		var names []string
		select {
		case <-ctx.Done():
		case names = <-found:
		}
		names = slices.DeleteFunc(names, func(s string) bool { return !strings.HasPrefix(s, begun) || !isSafeCandidate(s) })
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func lookupNames(ctx context.Context, a *cmdutil.Factory, find lookup) []string {
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

// listNames lists the names of a kind's objects by their metadata.
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
		Kind: "HostedCluster"}, cmdutil.ClustersNamespace(a))
}

func pools(ctx context.Context, a *cmdutil.Factory, c *kube.Client) ([]string, error) {
	return listNames(ctx, c, schema.GroupVersionKind{Group: "hypershift.openshift.io", Version: "v1beta1",
		Kind: "NodePool"},
		cmdutil.ClustersNamespace(a))
}

func nodes(ctx context.Context, _ *cmdutil.Factory, c *kube.Client) ([]string, error) {
	return listNames(ctx, c, schema.GroupVersionKind{Version: "v1", Kind: "Node"}, "")
}

// updates are the versions of OpenShift that the update service offers the management cluster.
func updates(ctx context.Context, _ *cmdutil.Factory, c *kube.Client) ([]string, error) {
	cv := &configv1.ClusterVersion{}
	if err := c.Get(ctx, types.NamespacedName{Name: "version"}, cv); err != nil {
		return nil, err
	}
	var names []string
	for _, r := range cv.Status.AvailableUpdates {
		names = append(names, r.Version)
	}
	for i := range cv.Status.ConditionalUpdates {
		names = append(names, cv.Status.ConditionalUpdates[i].Release.Version)
	}
	return names, nil
}

// release is the content of a ClusterImageSet.
type release struct{ image, version, channel string }

// releaseForm matches the version in a ClusterImageSet's name, such as img4.20.3-multi-appsub.
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

// releaseField returns a lookup of one field of the releases.
func releaseField(part func(release) string) lookup {
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
	return releaseField(func(r release) string { return r.image })(ctx, a, c)
}

func releaseVersions(ctx context.Context, a *cmdutil.Factory, c *kube.Client) ([]string, error) {
	return releaseField(func(r release) string { return r.version })(ctx, a, c)
}

func releaseChannels(ctx context.Context, a *cmdutil.Factory, c *kube.Client) ([]string, error) {
	return releaseField(func(r release) string { return r.channel })(ctx, a, c)
}
