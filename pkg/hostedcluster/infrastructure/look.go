package infrastructure

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilversion "k8s.io/apimachinery/pkg/util/version"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/health"
	"github.com/hcctl/hcctl/pkg/step"
)

// The versions that HyperShift requires there (kubevirtexternalinfra/externalinfra.go, ValidateClusterVersions, v0.1.70
// to v0.1.81).
const (
	minKubernetes = "1.27.0"
	minKubeVirt   = "1.0.0"
)

// Look is the finding about the cluster as a place for worker VMs: it answers, its versions are those that HyperShift
// takes, the namespace is there, and the kubeconfig has the rights.
func (c *Cluster) Look(ctx context.Context) step.Finding {
	on := "infrastructure cluster " + c.Config().Host
	unseen := ""
	virtualization := func(ctx context.Context) (f step.Finding) {
		f, unseen = c.virtualization(ctx)
		return f
	}
	for _, look := range []func(context.Context) step.Finding{c.versions, virtualization, c.namespace, c.rights} {
		if f := look(ctx); f.State != step.StateOK {
			if f.Object == "" {
				f = f.On("%s", on)
			} else {
				f = f.On("%s of the %s", f.Object, on)
			}
			return f
		}
	}
	return step.OK("it answers, runs KubeVirt, and the kubeconfig has the rights in namespace %s%s", c.Namespace, unseen).
		On("%s", on)
}

// versions sends the requests of HyperShift's operator.
func (c *Cluster) versions(ctx context.Context) step.Finding {
	text, err := c.ServerVersion(ctx)
	if err != nil {
		return kube.Unknown(err)
	}
	if f := atLeast("Kubernetes", text, minKubernetes); f.State != step.StateOK {
		return f
	}
	var group metav1.APIGroup
	data, err := c.GetPath(ctx, "/apis/subresources.kubevirt.io")
	if err == nil {
		err = json.Unmarshal(data, &group)
	}
	if apierrors.IsNotFound(err) {
		return step.Missing("KubeVirt is not installed there: nothing would run the worker VMs").
			WithHint("%s, with a kubeconfig of that cluster, installs OpenShift Virtualization",
				hint.Run("bootstrap").Flag("only", "virtualization"))
	}
	var info struct {
		GitVersion string `json:"gitVersion"`
	}
	if err == nil {
		data, err = c.GetPath(ctx, "/apis/"+group.PreferredVersion.GroupVersion+"/version")
	}
	if err == nil {
		err = json.Unmarshal(data, &info)
	}
	if err != nil {
		f := kube.Unknown(err)
		f.Message = "the version of KubeVirt: " + f.Message
		return f
	}
	return atLeast("KubeVirt", info.GitVersion, minKubeVirt)
}

func atLeast(what, have, least string) step.Finding {
	v, err := utilversion.ParseGeneric(have)
	if err != nil {
		return step.Unknown("its version of %s cannot be read", what)
	}
	if v.LessThan(utilversion.MustParseGeneric(least)) {
		return step.Broken("%s is %s there, and HyperShift takes %s or newer", what, v, least)
	}
	return step.OK("")
}

// virtualization judges what installs KubeVirt, and says what it may not see of it.
func (c *Cluster) virtualization(ctx context.Context) (f step.Finding, unseen string) {
	all, err := kube.ListStored(ctx, c.Client, kube.HyperConverged)
	switch {
	case kube.IsNotPermitted(err):
		return step.OK(""), "; whether OpenShift Virtualization is well was not looked at, for want of a right"
	case err != nil:
		return kube.Unknown(err).On("HyperConvergeds"), ""
	case len(all) == 0:
		return step.OK(""), ""
	}
	if v := health.Judge(&all[0], c.Now()); !v.OK() {
		return v.Finding, ""
	}
	return step.OK(""), ""
}

func (c *Cluster) namespace(ctx context.Context) step.Finding {
	ns := &corev1.Namespace{}
	err := c.Get(ctx, client.ObjectKey{Name: c.Namespace}, ns)
	switch on := "Namespace " + c.Namespace; {
	case apierrors.IsNotFound(err):
		return step.Missing("does not exist, and HyperShift makes none there").On("%s", on).
			WithHint("oc create namespace %s, on that cluster; %s prints it with its role", c.Namespace,
				hint.Run("rbac").Flag("for", "infra").Flag("namespace", c.Namespace))
	case err != nil:
		f := kube.Unknown(err).On("%s", on)
		if kube.IsNotPermitted(err) {
			f = f.WithHint("it is not there, or the kubeconfig has no rights in it: %s prints both, to apply on that cluster",
				hint.Run("rbac").Flag("for", "infra").Flag("namespace", c.Namespace))
		}
		return f
	case ns.DeletionTimestamp != nil:
		return step.Broken("is being deleted").On("%s", on)
	}
	return step.OK("")
}

// rights asks the API server, as any user may.
func (c *Cluster) rights(ctx context.Context) step.Finding {
	wanted := access.Access(Needed())
	for i := range wanted {
		wanted[i].Namespace = c.Namespace
	}
	denied, err := c.Denied(ctx, wanted)
	switch {
	case err != nil:
		return kube.Unknown(err)
	case len(denied) > 0:
		return step.Missing("the kubeconfig lacks rights there: %s", short(kube.FormatAccess(denied))).
			WithHint("apply on that cluster what %s prints",
				hint.Run("rbac").Flag("for", "infra").Flag("namespace", c.Namespace))
	}
	return step.OK("")
}

// short keeps a message that lists many rights to a few lines.
func short(text string) string {
	const most = 400
	if len(text) <= most {
		return text
	}
	return text[:max(0, strings.LastIndexAny(text[:most], ",;"))] + " ..."
}

// Unread is the finding about what could not be asked of the infrastructure cluster.
func Unread(what string, err error) step.Finding {
	f := kube.Unknown(err)
	f.Message = fmt.Sprintf("%s on the infrastructure cluster: %s", what, f.Message)
	return f
}
