package options

import "github.com/hcctl/hcctl/internal/option"

// serviceFields are the options of what the hosted cluster gets once its API server answers, see pkg/services.
func serviceFields() []Field {
	return []Field{
		{Name: "cni", Flag: "cni", Group: option.Network, Folder: true, Beside: true,
			Writes: "objects in the file, in the hosted cluster", Example: "cni.yaml", With: "--network-type Other",
			Text: "file or folder with the manifests of the network plug-in, applied in the hosted cluster as soon as its API " +
				"server answers; only with --network-type Other"},
		{Name: "guestManifests", Flag: "guest-manifests", Group: option.Cluster, Folder: true, Beside: true,
			Writes: "objects in the file, in the hosted cluster", Example: "guest.yaml",
			Text: "file or folder with manifests for the hosted cluster itself, applied as soon as its API server answers"},
	}
}
