package options

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
