package options

import "strings"

// Field is one option of a hosted cluster or of a pool, described once for the command line, the Cluster file, the
// documents and the tests.
type Field struct {
	// Name in a Cluster file and of the yaml tag, such as "rootVolumeSize"; for labels and annotations it is their place
	// in metadata.
	Name string
	// Flag without dashes, such as "root-volume-size"; empty where only a file can say it.
	Flag string
	// PoolOnly is for a field of a pool that is no flag of create cluster, which has one of that name for the cluster and
	// its pools.
	PoolOnly bool
	// Beside is for what cannot be seen in the cluster's own objects without asking a server: what hcctl does beside them
	// or looks up.
	Beside bool
	// Text describes it in one line.
	Text string
	// Values are those it may have; nil means any.
	Values []string
	// Writes is where it ends up: objects, each with the field's path after a space, such as "HostedCluster spec.fips".
	// Several are separated by ", ". Names in angle brackets stand for themselves.
	Writes string
	// Example is a value as it is given on the command line; a golden file shows what comes of it. Files are in
	// testdata/examples.
	Example string
	// With are other flags that the example is of no use without.
	With string
}

// Fields are the options of the cluster itself.
func Fields() []Field {
	var all []Field
	for _, part := range [][]Field{releaseFields(), choiceFields(), accessFields(), networkFields(), controlPlaneFields(),
		configurationFields(), infrastructureFields()} {
		all = append(all, part...)
	}
	return all
}

// Dotted cuts a path into its parts. Brackets hold a part that has dots itself.
func Dotted(path string) []string {
	var parts []string
	for path != "" {
		end := strings.IndexAny(path, ".[")
		switch {
		case end < 0:
			return append(parts, path)
		case path[end] == '.':
			parts, path = append(parts, path[:end]), path[end+1:]
		default:
			if end > 0 {
				parts = append(parts, path[:end])
			}
			inside, rest, _ := strings.Cut(path[end+1:], "]")
			parts, path = append(parts, inside), strings.TrimPrefix(rest, ".")
		}
	}
	return parts
}

// choiceFields are the ways to say which release it is to be, beside the image.
func choiceFields() []Field {
	return []Field{
		{Name: "version", Flag: "version", Beside: true, Writes: "HostedCluster spec.release.image", Example: "4.20.3",
			Text: "exact version of the hosted cluster, looked up in the management cluster's ClusterImageSets"},
		{
			Name:    "channel",
			Flag:    "channel",
			Writes:  "HostedCluster spec.channel",
			Example: "stable-4.20",
			Text: "update channel, such as stable-4.20; without another word on the release its newest " +
				"ClusterImageSet is taken",
		},
		{
			Name:    "releaseStream",
			Flag:    "release-stream",
			Beside:  true,
			Writes:  "HostedCluster spec.release.image",
			Example: "4-stable-multi",
			Text: "stream of OpenShift's CI whose newest supported release is taken, by its digest; " +
				"the one thing that is looked up on the internet",
		},
	}
}
