package options

import (
	"slices"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/option"
)

// Field is one option of a hosted cluster or of a pool.
type Field = option.Field

// Fields lists the options of the cluster itself.
func Fields() []Field {
	var all []Field
	for _, part := range [][]Field{releaseFields(), releaseChoiceFields(), accessFields(), networkFields(),
		controlPlaneFields(), configurationFields(), infrastructureFields(), placementFields(), serviceFields(),
		managedFields(), jumpHostFields(), identityFields()} {
		all = append(all, part...)
	}
	return all
}

// releaseChoiceFields are the options that select the release other than by image.
func releaseChoiceFields() []Field {
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

// Error reports an option value that cannot work on any cluster. Its Field is a Name of Fields or NodePoolFields, or
// the flag of an option without a row there, such as "wait".
type Error = option.Error

// Errorf returns an *Error that belongs to no pool.
func Errorf(field, value, format string, args ...any) error {
	return option.Errorf(field, value, format, args...)
}

// FlagOf returns the flag of create cluster that an error is about, without dashes.
func FlagOf(e *Error) string {
	if e.Pool != nil {
		return ClusterFlag(flagIn(NodePoolFields(), e.Field))
	}
	return flagIn(append(Fields(), NodePoolFields()...), e.Field)
}

// NeedsEngine returns which multicluster engine a flag of create cluster needs, or "" if every version has it.
func NeedsEngine(flag string) string {
	for _, f := range append(Fields(), FirstPoolFields()...) {
		if f.Flag == flag {
			return f.NeedsEngine("--" + flag)
		}
	}
	return ""
}

// flagIn returns the flag of the first field with that name, or the name itself if no such field has a flag.
func flagIn(fields []Field, name string) string {
	i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name && f.Flag != "" })
	if i < 0 {
		return name
	}
	return fields[i].Flag
}
