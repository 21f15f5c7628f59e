package creation

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster/objects"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
)

// Rendered has the manifests of a new cluster.
type Rendered struct {
	Objects []client.Object
	// LeftOut lists the omitted Secrets, as "namespace/name".
	LeftOut []string
}

// Render returns the manifests of a new cluster without a server. Inputs that only a server has must be given: the
// release image, and the pull secret if sensitive is true. Otherwise Secrets are omitted, as the vendor's CLI does.
//
// The InfraID and, if sensitive, the encryption key are new with each call. Errors are *options.Error, joined.
func Render(o options.Validated, sensitive bool) (Rendered, error) {
	var err error
	if o.ReleaseImage == "" {
		err = errors.Join(err, &options.Error{Field: "releaseImage",
			Detail: fmt.Sprintf("needed with %s and %s=client, which ask no cluster for one", hint.Flag("render"),
				hint.Flag("dry-run")),
			Next: hint.New("give it as %s quay.io/openshift-release-dev/ocp-release:4.20.3-multi",
				hint.Flag("release-image"))})
	}
	if sensitive && len(o.PullSecret.Content) == 0 {
		err = errors.Join(err,
			options.Errorf("pullSecret", "", "needed with %s, which asks no cluster for one", hint.Flag("render-sensitive")))
	}
	if o.MetalLBPool != "" {
		err = errors.Join(err, options.Errorf("metallbPool", o.MetalLBPool,
			"not with %s: the pool is not the cluster's own, so its manifest cannot be made without asking; "+
				"%s can be rendered", hint.Flag("render"), hint.Flag("metallb-addresses")))
	}
	if err == nil && o.NeedsNodeAddress() {
		err = options.Errorf("apiServerAddress", "",
			"needed with %s for node ports, as it asks no cluster for the address of a node", hint.Flag("render"))
	}
	if err != nil {
		return Rendered{}, err
	}
	in := objects.Inputs{
		InfraID:      cmp.Or(o.InfraID, newInfraID(o.Name)),
		ReleaseImage: o.ReleaseImage,
		ReleaseFrom:  hint.Flag("release-image").String(),
		PullSecret:   o.PullSecret.Content,
		Adopts:       o.AdoptNamespace,
	}
	if sensitive {
		in.EncryptionKey = newEncryptionKey()
		if o.GenerateSSH {
			if in.SSHKey, err = newSSHKey(); err != nil {
				return Rendered{}, err
			}
		}
	}
	if err := objects.CheckPatches(o, in); err != nil {
		return Rendered{}, err
	}
	var r Rendered
	for _, obj := range objects.All(o, in) {
		if isSecret(obj) && !sensitive {
			r.LeftOut = append(r.LeftOut, kube.Name(obj))
			continue
		}
		r.Objects = append(r.Objects, obj)
	}
	return r, nil
}

// isSecret also reports true for Secrets of --manifests.
func isSecret(obj client.Object) bool {
	gvk := obj.GetObjectKind().GroupVersionKind()
	return gvk.Kind == "Secret" && gvk.Group == ""
}
