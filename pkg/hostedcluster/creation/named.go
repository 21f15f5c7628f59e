package creation

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/infrastructure"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// storageClasses returns the StorageClasses in the options: those of the management cluster, or those of the
// infrastructure cluster.
func (p *Plan) storageClasses(elsewhere bool) []string {
	o := p.Options
	var named []string
	if !elsewhere {
		named = append(named, o.EtcdStorageClass)
	}
	if elsewhere == p.externalInfra() {
		for _, pool := range o.NodePools {
			named = append(named, pool.RootVolumeStorageClass)
		}
		for _, mapping := range o.InfraStorageClassMapping {
			named = append(named, mapping.InfraStorageClassName)
		}
	}
	slices.Sort(named)
	return slices.DeleteFunc(slices.Compact(named), func(s string) bool { return s == "" })
}

func (p *Plan) checkStorageClasses(ctx context.Context, r kube.Reader) step.Finding {
	f := checkClassesExist(ctx, r, p.storageClasses(false))
	named := p.storageClasses(true)
	if f.State != step.StateOK || len(named) == 0 {
		return f
	}
	there, err := p.vmReader(r)
	if err != nil {
		return infrastructure.Unread("StorageClasses", err)
	}
	return onInfra(checkClassesExist(ctx, there, named), true)
}

// onInfra adds to a finding that it is about the infrastructure cluster, if the VMs run there.
func onInfra(f step.Finding, elsewhere bool) step.Finding {
	if elsewhere && f.State != step.StateOK {
		f.Object += " of the infrastructure cluster"
	}
	return f
}

func checkClassesExist(ctx context.Context, r kube.Reader, named []string) step.Finding {
	if len(named) == 0 {
		return step.OK("")
	}
	var classes storagev1.StorageClassList
	if err := r.List(ctx, &classes); err != nil {
		return kube.Unknown(err).On("StorageClasses")
	}
	var there []string
	for i := range classes.Items {
		there = append(there, classes.Items[i].Name)
	}
	for _, name := range named {
		if !slices.Contains(there, name) {
			return step.Missing("does not exist; there are %s", strings.Join(there, ", ")).On("StorageClass %s", name)
		}
	}
	return step.OK("%s", strings.Join(named, ", ")).On("StorageClasses")
}

// attachments returns the NetworkAttachmentDefinitions in the options of the pools.
func (p *Plan) attachments() []client.ObjectKey {
	var keys []client.ObjectKey
	for _, pool := range p.Options.NodePools {
		for _, network := range pool.AdditionalNetwork {
			if !slices.Contains(keys, network) {
				keys = append(keys, network)
			}
		}
	}
	return keys
}

// multusConfig returns the ConfigMap with the settings of OpenShift's multus (cluster-network-operator,
// bindata/network/multus, 4.14 to 4.21).
func multusConfig() client.ObjectKey {
	return client.ObjectKey{Namespace: "openshift-multus", Name: "multus-daemon-config"}
}

// vmNetworks has the networks of worker VMs and the place where they must exist.
type vmNetworks struct {
	// plane is the control plane namespace. elsewhere is set if the VMs run on another cluster.
	plane         string
	externalInfra bool
	named         []client.ObjectKey
	// next returns the advice for a network that may not be used.
	next func(network string) hint.Text
}

// checkIsolation checks whether the pods of the worker VMs may use a network. Multus can restrict pods to networks of
// their own namespace and of a few global namespaces.
func (n vmNetworks) checkIsolation(ctx context.Context, r kube.Reader, network client.ObjectKey) step.Finding {
	if network.Namespace == n.plane || n.externalInfra {
		return step.OK("") // what isolates namespaces of another cluster is that one's
	}
	config, settings := &corev1.ConfigMap{}, struct {
		NamespaceIsolation bool   `json:"namespaceIsolation"`
		GlobalNamespaces   string `json:"globalNamespaces"`
	}{}
	err := r.Get(ctx, multusConfig(), config)
	if apierrors.IsNotFound(err) {
		return step.OK("") // no multus of OpenShift's, which has it
	}
	if err == nil {
		err = json.Unmarshal([]byte(config.Data["daemon-config.json"]), &settings)
	}
	on := fmt.Sprintf("NetworkAttachmentDefinition %s", network)
	if err != nil {
		f := kube.Unknown(err).On("%s", on)
		f.Message = fmt.Sprintf("whether pods of Namespace %s may use it cannot be known (ConfigMap %s): %s",
			n.plane, multusConfig(), f.Message)
		return f
	}
	global := strings.Split(settings.GlobalNamespaces, ",")
	if !settings.NamespaceIsolation || slices.Contains(global, network.Namespace) {
		return step.OK("")
	}
	f := step.Broken("multus isolates namespaces: pods of Namespace %s may use networks of that namespace, and of %s",
		n.plane, strings.Join(global, ", ")).On("%s", on)
	f.Hint = n.next(network.Name)
	return f
}

// check checks that the networks exist and that the VMs may use them. vmReader reads the definitions, and r reads the
// settings of the management cluster.
func (n vmNetworks) check(ctx context.Context, r, vmReader kube.Reader) step.Finding {
	for _, key := range n.named {
		if f := n.checkIsolation(ctx, r, key); f.State != step.StateOK {
			return f
		}
		err := vmReader.Get(ctx, key, kube.NetworkAttachmentDefinition.New())
		switch {
		case apierrors.IsNotFound(err):
			return onInfra(step.Missing("does not exist, so that no VM of the pool could start").On(
				"NetworkAttachmentDefinition %s", key), n.externalInfra)
		case err != nil:
			return onInfra(kube.Unknown(err).On("NetworkAttachmentDefinition %s", key), n.externalInfra)
		}
	}
	return step.OK("all %d exist", len(n.named)).On("NetworkAttachmentDefinitions")
}

func (p *Plan) checkAttachments(ctx context.Context, r kube.Reader) step.Finding {
	there, err := p.vmReader(r)
	if err != nil {
		return infrastructure.Unread("NetworkAttachmentDefinitions", err)
	}
	n := vmNetworks{plane: p.controlPlane(), externalInfra: p.externalInfra(), named: p.attachments()}
	n.next = func(network string) hint.Text {
		return hint.New("make Namespace %s with the NetworkAttachmentDefinition in it, and create the cluster with %s and "+
			"%s name:%s/%s", n.plane, hint.Flag(options.AdoptNamespaceFlag), hint.Flag("additional-network"), n.plane, network)
	}
	return n.check(ctx, r, there)
}

// NamedByPool checks the networks of a pool's VMs and the StorageClass of their disks. It reads nothing if the pool
// sets neither. It fails with the error of finding the VMs' cluster, or with *infrastructure.NotReachedError.
func NamedByPool(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster, pool *hyperv1.NodePool) (step.Finding,
	error) {
	kv := pool.Spec.Platform.Kubevirt
	if kv == nil {
		return step.OK(""), nil
	}
	var classes []string
	if v := kv.RootVolume; v != nil && v.Persistent != nil && ptr.Deref(v.Persistent.StorageClass, "") != "" {
		classes = []string{*v.Persistent.StorageClass}
	}
	n := vmNetworks{plane: hostedcluster.ControlPlaneNamespace(hc.Namespace, hc.Name),
		externalInfra: hostedcluster.PlatformOf(hc).Elsewhere()}
	n.next = func(network string) hint.Text {
		return hint.New("make the NetworkAttachmentDefinition in Namespace %s, and name it: %s name:%s/%s", n.plane,
			hint.Flag("additional-network"), n.plane, network)
	}
	for _, network := range kv.AdditionalNetworks {
		if namespace, name, found := strings.Cut(network.Name, "/"); found {
			n.named = append(n.named, client.ObjectKey{Namespace: namespace, Name: name})
		}
	}
	if len(n.named)+len(classes) == 0 {
		return step.OK(""), nil
	}
	site, err := infrastructure.SiteOf(ctx, r, hc)
	if err != nil {
		return step.Finding{}, err
	}
	f := n.check(ctx, r, site.Reader)
	if f.State == step.StateOK {
		f = onInfra(checkClassesExist(ctx, site.Reader, classes), n.externalInfra)
	}
	return f, nil
}
