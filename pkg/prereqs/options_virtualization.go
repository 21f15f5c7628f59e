package prereqs

// VirtualizationOptions is what a person can say about OpenShift Virtualization.
type VirtualizationOptions struct {
	// Source is "redhat" (the default), "community", or the image of a catalog that has the community's operator.
	Source string
	// Manifests is a folder of manifests to apply instead, for clusters without Operator Lifecycle Manager.
	Manifests string
}

func (o VirtualizationOptions) validate() error { return nil }
