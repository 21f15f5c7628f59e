package options

import (
	"slices"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
)

// Field is one option of a hosted cluster or of a pool.
type Field = option.Field

// Fields are the options of the cluster itself.
func Fields() []Field {
	var all []Field
	for _, part := range [][]Field{releaseFields(), choiceFields(), accessFields(), networkFields(), controlPlaneFields(),
		configurationFields(), infrastructureFields(), placementFields(), serviceFields(), managedFields(), jumpHostFields(),
		identityFields()} {
		all = append(all, part...)
	}
	return all
}

// choiceFields are the ways to say which release it is to be, beside the image.
func choiceFields() []Field {
	return []Field{
		{Name: "version", Flag: "version", Group: option.Release, Beside: true,
			Why:    "a version is changed by an upgrade",
			Way:    hint.Run("upgrade cluster", "NAME").Flag("version", "VERSION").Text(),
			Writes: "HostedCluster spec.release.image", Example: "4.20.3",
			Text: "exact version of the hosted cluster, looked up in the management cluster's ClusterImageSets"},
		{Name: "channel", Flag: "channel", Group: option.Release, Why: "the channel belongs to upgrades",
			Way: hint.Run("upgrade cluster", "NAME").Flag("channel", "CHANNEL").Text(), Writes: "HostedCluster spec.channel",
			Example: "stable-4.20",
			Text:    "update channel, such as stable-4.20; unless a release is given, its newest ClusterImageSet is taken"},
		{Name: "releaseStream", Flag: "release-stream", Group: option.Release, Beside: true,
			Why:    "a release is changed by an upgrade",
			Way:    hint.New("%s lists the releases to choose from", hint.Run("upgrade cluster", "NAME")),
			Writes: "HostedCluster spec.release.image", Example: "4-stable-multi",
			Text: "stream of OpenShift's CI whose newest supported release is taken, by its digest; the one thing that " +
				"is looked up on the internet"},
	}
}

// Error is an option whose value cannot work, whatever the cluster is. Its Field is a Name of Fields or NodePoolFields,
// or the flag of an option that has no row there, such as "wait".
type Error = option.Error

// Errorf is an *Error without a pool.
func Errorf(field, value, format string, args ...any) error {
	return option.Errorf(field, value, format, args...)
}

// FlagOf is the flag of create cluster that an error is about, without dashes.
func FlagOf(e *Error) string {
	if e.Pool != nil {
		return ClusterFlag(flagIn(NodePoolFields(), e.Field))
	}
	return flagIn(append(Fields(), NodePoolFields()...), e.Field)
}

// NeedsEngine says which multicluster engine a flag of create cluster needs; it is empty where all do.
func NeedsEngine(flag string) string {
	for _, f := range append(Fields(), FirstPoolFields()...) {
		if f.Flag == flag {
			return f.NeedsEngine("--" + flag)
		}
	}
	return ""
}

// flagIn is the flag of the first field of that name; the name itself where there is none.
func flagIn(fields []Field, name string) string {
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name && f.Flag != "" })
	if i < 0 {
		return name
	}
	return fields[i].Flag
}
