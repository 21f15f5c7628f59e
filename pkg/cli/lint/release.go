package lint

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hcctl/hcctl/internal/openshift"
	"github.com/hcctl/hcctl/pkg/cli/internal/cmdutil"
	"github.com/hcctl/hcctl/pkg/config"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/convert"
	"github.com/hcctl/hcctl/pkg/hostedcluster/creation"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	supported "github.com/hcctl/hcctl/pkg/hostedcluster/release"
	"github.com/hcctl/hcctl/pkg/hostedcluster/schema"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// release is the HyperShift release that the files of a cluster were checked against.
type release struct {
	Cluster string `json:"cluster"`
	// HyperShift is the minor version, such as "4.20".
	HyperShift string `json:"hyperShift"`
	// From is the source of the version.
	From string `json:"from"`
}

func releaseOf(o options.Cluster, r convert.Release) release {
	return release{o.Namespace + "/" + o.Name, schema.Name(r.Minor), r.From}
}

// ownCluster is a cluster in hcctl's own documents.
type ownCluster struct {
	*config.Cluster
	valid options.Validated
	title string
}

// givenRelease parses --release; the zero value if it is not given.
func givenRelease(text string) (convert.Release, error) {
	if text == "" {
		return convert.Release{}, nil
	}
	v, ok := hostedcluster.ParseMinor(text)
	if !ok {
		v, ok = hostedcluster.ParseVersion(text)
		ok = ok && v.String() == text
	}
	if minor := v.MinorNumber(); ok && schema.Clamp(minor) == minor {
		return convert.Release{Minor: minor, From: "--release"}, nil
	}
	return convert.Release{}, fmt.Errorf("--release %q: the fields of HyperShift %s to %s are known; write it like 4.20",
		text, schema.Name(schema.Clamp(0)), schema.Name(schema.Newest()))
}

// clusterRelease returns the HyperShift release of a cluster: the newest minor version that its operator
// supports. The zero value means that the operator does not report it.
func clusterRelease(ctx context.Context, t *cmdutil.Target) convert.Release {
	if t == nil {
		return convert.Release{}
	}
	minors, _ := supported.SupportedVersions(ctx, t.Client) // on an error each document is checked against its own release
	newest := 0
	for _, name := range minors {
		if minor, ok := openshift.ParseMinor(name); ok {
			newest = max(newest, minor)
		}
	}
	if newest == 0 {
		return convert.Release{}
	}
	return convert.Release{Minor: schema.Clamp(newest), From: "that of the cluster"}
}

// checkDocuments checks hcctl's own documents against the API of a release, and reports options and patches that
// the API has no field for.
func (in *input) checkDocuments(of convert.Release) {
	for _, c := range in.documents {
		r := of
		if r.Minor == 0 {
			r = documentRelease(c.Options)
		}
		in.releases = append(in.releases, releaseOf(c.Options, r))
		inputs := objects.Inputs{InfraID: c.Options.InfraID, ReleaseImage: c.Options.ReleaseImage}
		in.checkFields(c, r, nil, objects.HostedCluster(c.valid, inputs))
		for i, pool := range c.valid.NodePools {
			in.checkFields(c, r, &i, objects.NodePool(c.valid, pool, inputs))
		}
	}
}

// documentRelease returns the HyperShift release for a Cluster document, by its version, release image or
// channel.
func documentRelease(o options.Cluster) convert.Release {
	channel := ""
	if _, minor, ok := strings.Cut(o.Channel, "-"); ok {
		channel = minor + ".0"
	}
	for _, one := range []struct{ version, from string }{{o.Version, "spec.version"},
		{o.ReleaseImage, "spec.releaseImage"}, {channel, "spec.channel"}} {
		if _, ok := hostedcluster.ParseVersion(one.version); ok {
			return convert.ReleaseOf(one.version, one.from)
		}
	}
	return convert.ReleaseOf("", "")
}

// checkFields adds findings for the fields of an object that a release does not have, at the line of the option.
func (in *input) checkFields(c ownCluster, r convert.Release, pool *int, obj client.Object) {
	kind, rows := obj.GetObjectKind().GroupVersionKind().Kind, options.Fields()
	if pool != nil {
		rows = options.NodePoolFields()
	}
	var names []string
	details := map[string]string{}
	for _, p := range schema.Of(kind, r.Minor).Misfits(objects.Content(obj)["spec"]) {
		if p.Unknown {
			names = append(names, "spec."+p.Path)
			details["spec."+p.Path] = p.Detail
		}
	}
	for _, lack := range creation.Lacks(obj, names) {
		message, next := r.Lacks(kind, lack.Field, details[lack.Field])
		wrong := &options.Error{Field: "patches", Pool: pool, Detail: lack.Field + ": " + message, Next: next}
		for _, f := range rows {
			given := c.Locate(&options.Error{Field: f.Name, Pool: pool, Value: "said"}) != nil
			if f.Flag != "" && slices.Contains(lack.Flags, f.Flag) && given {
				wrong.Field = f.Name
			}
		}
		if located := c.Locate(wrong); located != nil {
			in.addError(c.title, located)
			continue
		}
		in.addError(c.title, wrong)
	}
}
