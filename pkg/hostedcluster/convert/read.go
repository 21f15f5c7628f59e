package convert

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/hcctl/hcctl/internal/option"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/hostedcluster/options"
)

// reader converts one hosted cluster.
type reader struct {
	hc                Object
	pools, companions []Object
	out               Cluster
}

// cluster returns the result: options, then patches for fields without an option.
func (r *reader) cluster() Cluster {
	r.out.Where = fmt.Sprintf("%s:%d", r.hc.File, r.hc.Line)
	r.validate(r.hc, &hyperv1.HostedCluster{})
	for _, pool := range r.pools {
		r.validate(pool, &hyperv1.NodePool{})
	}
	switch is := textAt(r.hc.Fields, "spec", "platform", "type"); is {
	case string(hyperv1.KubevirtPlatform):
	case "":
		r.out.Findings = append(r.out.Findings, r.hc.finding("spec.platform.type", "it is missing: KubeVirt"))
		return r.out
	default:
		r.out.Findings = append(r.out.Findings, r.hc.finding("spec.platform.type", "%q: hcctl has hosted clusters on "+
			"KubeVirt only", is))
		return r.out
	}
	if services, _, _ := unstructured.NestedSlice(r.hc.Fields, "spec", "services"); len(services) > 0 {
		_ = unstructured.SetNestedSlice(r.hc.Fields, allServices(services), "spec", "services") // it was read there
	}
	removeDefaults(r.hc, options.Fields(), options.Defaults())
	for _, pool := range r.pools {
		removeDefaults(pool, options.NodePoolFields(), options.DefaultNodePool())
	}
	r.out.Options = r.options()
	r.convertCompanions()
	r.patch()
	return r.out
}

// options returns the options whose fields are set in the objects.
func (r *reader) options() options.Cluster {
	o := options.Defaults()
	u := r.hc.unstructured()
	o.Name, o.Namespace = u.GetName(), namespaceOf(r.hc)
	scalars(options.Fields(), hostedcluster.HostedClusterKind, r.hc.Fields, reflect.ValueOf(&o).Elem())
	o.Labels, o.Annotations = u.GetLabels(), u.GetAnnotations()
	if o.Labels[hostedcluster.InfraLabel] == o.InfraID {
		delete(o.Labels, hostedcluster.InfraLabel)
	}
	o.Spread = strings.Fields(o.Annotations[hostedcluster.SpreadAnnotation])
	o.Avoid = strings.Fields(o.Annotations[hostedcluster.AvoidAnnotation])
	for _, own := range []string{hostedcluster.SpreadAnnotation, hostedcluster.AvoidAnnotation,
		hyperv1.ControlPlaneOperatorImageAnnotation, hostedcluster.PatchesAnnotation} {
		delete(o.Annotations, own)
	}
	if passes, _, _ := unstructured.NestedBool(r.hc.Fields, "spec", "platform", "kubevirt",
		"baseDomainPassthrough"); passes && o.BaseDomain != "" {
		r.out.Findings = append(r.out.Findings, r.hc.note("spec.dns.baseDomain", "left out: the ingress passes through "+
			"that of the management cluster, and the operator fills in the domain"))
		o.BaseDomain = ""
		unstructured.RemoveNestedField(r.hc.Fields, "spec", "dns", "baseDomain")
	}
	spec := typed[hyperv1.HostedClusterSpec](r.hc.Fields["spec"])
	for _, n := range spec.Networking.ClusterNetwork {
		o.ClusterCIDR = append(withoutDefault(&o.ClusterCIDR), n.CIDR.String())
	}
	for _, n := range spec.Networking.ServiceNetwork {
		o.ServiceCIDR = append(withoutDefault(&o.ServiceCIDR), n.CIDR.String())
	}
	for _, n := range spec.Networking.MachineNetwork {
		o.MachineCIDR = append(o.MachineCIDR, n.CIDR.String())
	}
	for _, t := range spec.Tolerations {
		o.Toleration = append(o.Toleration, tolerationText(t))
	}
	setPublish(&o, spec.Services)
	if c := spec.Configuration; c != nil {
		if c.Proxy != nil && c.Proxy.NoProxy != "" {
			o.NoProxy = strings.Split(c.Proxy.NoProxy, ",")
		}
		if c.APIServer != nil {
			for _, cert := range c.APIServer.ServingCerts.NamedCertificates {
				o.ServingCert = append(o.ServingCert, servingText(cert))
			}
		}
	}
	if k := spec.Platform.Kubevirt; k != nil && k.StorageDriver != nil && k.StorageDriver.Manual != nil {
		for _, m := range k.StorageDriver.Manual.StorageClassMapping {
			o.InfraStorageClassMapping = append(o.InfraStorageClassMapping,
				grouped(m.InfraStorageClassName+"/"+m.GuestStorageClassName, m.Group))
		}
		for _, m := range k.StorageDriver.Manual.VolumeSnapshotClassMapping {
			o.InfraVolumeSnapshotClassMapping = append(o.InfraVolumeSnapshotClassMapping,
				grouped(m.InfraVolumeSnapshotClassName+"/"+m.GuestVolumeSnapshotClassName, m.Group))
		}
	}
	o.NodePools = nil
	for _, pool := range r.pools {
		o.NodePools = append(o.NodePools, poolOptions(pool, o))
	}
	if len(r.pools) == 0 {
		none := options.DefaultNodePool()
		none.Replicas = 0
		o.NodePools = []options.NodePool{none}
		r.out.Findings = append(r.out.Findings, r.hc.note("", "no NodePool of it is among the files; hcctl makes one "+
			"without workers"))
	}
	r.setFilePaths(options.Fields(), reflect.ValueOf(&o).Elem(), o.Name)
	for i := range o.NodePools {
		r.setFilePaths(options.NodePoolFields(), reflect.ValueOf(&o.NodePools[i]).Elem(), o.PoolName(o.NodePools[i]))
	}
	o.Wait = options.WaitNone // waiting is not part of a document
	return o
}

// withoutDefault returns nil for a list that still has its default.
func withoutDefault(list *options.List) options.List {
	if slices.Equal(*list, options.Defaults().ClusterCIDR) || slices.Equal(*list, options.Defaults().ServiceCIDR) {
		return nil
	}
	return *list
}

// removeDefaults removes false, empty and zero values of options whose default is that value, because options do not
// write them.
func removeDefaults(o Object, rows []options.Field, defaults any) {
	for _, f := range rows {
		path := f.Path(o.unstructured().GetKind())
		value, found, _ := unstructured.NestedFieldNoCopy(o.Fields, path...)
		if zero := value == false || value == "" || value == int64(0); len(path) > 1 && found && zero &&
			option.At(reflect.ValueOf(defaults), f.Name).IsZero() {
			unstructured.RemoveNestedField(o.Fields, path...)
		}
	}
	passes := []string{"spec", "platform", "kubevirt", "baseDomainPassthrough"}
	if value, _, _ := unstructured.NestedBool(o.Fields, passes...); !value {
		unstructured.RemoveNestedField(o.Fields, passes...)
	}
}

// isWholeFile reports whether the option's file contains the whole value of its field.
func isWholeFile(f options.Field) bool {
	return slices.Contains([]string{"imageContentSources", "identityProviders", "oidc", "vmJSONPatch"}, f.Name)
}

// setFilePaths sets the paths of such files, which are in the directory of the document.
func (r *reader) setFilePaths(rows []options.Field, of reflect.Value, prefix string) {
	for _, f := range rows {
		if !isWholeFile(f) {
			continue
		}
		if at, is := option.At(of, f.Name).Addr().Interface().(*options.File); is && len(at.Content) > 0 {
			at.Path, at.Directory = prefix+"-"+f.Flag+".yaml", "."
			r.out.Files = append(r.out.Files, File{at.Path, at.Content})
		}
	}
}

// setPublish sets the options for the services that are not published in the default way.
func setPublish(o *options.Cluster, services []hyperv1.ServicePublishingStrategyMapping) {
	address := ""
	byNodePort := func(s hyperv1.ServicePublishingStrategyMapping) bool {
		return s.NodePort != nil && (address == "" || s.NodePort.Address == address)
	}
	all := len(services) >= len(options.PublishedServices())
	for _, s := range services {
		all = all && byNodePort(s)
		if s.NodePort != nil {
			address = s.NodePort.Address
		}
	}
	has := func(name hyperv1.ServiceType) bool {
		return slices.ContainsFunc(services, func(s hyperv1.ServicePublishingStrategyMapping) bool {
			return s.Service == name
		})
	}
	if all && has(hyperv1.OIDC) {
		o.ServicePublishingStrategy, o.APIServerAddress = "NodePort", address
	}
	usual := options.ValidatedDefaults(o.Name, o.Namespace, "").Services("")
	for _, s := range services {
		same := func(other hyperv1.ServicePublishingStrategyMapping) bool {
			return o.ServicePublishingStrategy != "NodePort" && other.Service == s.Service && other.Type == s.Type
		}
		text := fmt.Sprintf("%s=%s", s.Service, s.Type)
		if name := options.HostnameOf(s); name != "" {
			text += ",hostname=" + name
		}
		if s.NodePort != nil {
			text += ",address=" + s.NodePort.Address
			if s.NodePort.Port != 0 {
				text += fmt.Sprintf(",port=%d", s.NodePort.Port)
			} else if o.ServicePublishingStrategy == "NodePort" {
				continue
			}
		}
		if slices.ContainsFunc(usual, same) && options.HostnameOf(s) == "" {
			continue
		}
		o.Publish = append(o.Publish, text)
	}
}

func poolOptions(pool Object, of options.Cluster) options.NodePool {
	p := options.DefaultNodePool()
	p.Replicas = 0
	scalars(options.NodePoolFields(), hostedcluster.NodePoolKind, pool.Fields, reflect.ValueOf(&p).Elem())
	if p.MaxReplicas > 0 {
		p.Replicas = options.DefaultNodePool().Replicas // autoscaling ignores it
	}
	if p.Name = pool.unstructured().GetName(); p.Name == of.Name {
		p.Name = ""
	}
	if p.ReleaseImage == of.ReleaseImage {
		p.ReleaseImage = ""
	}
	if p.Arch == of.Arch {
		p.Arch = ""
	}
	spec := typed[hyperv1.NodePoolSpec](pool.Fields["spec"])
	for _, t := range spec.Taints {
		text := t.Key
		if t.Value != "" {
			text += "=" + t.Value
		}
		p.Taints = append(p.Taints, text+":"+string(t.Effect))
	}
	if k := spec.Platform.Kubevirt; k != nil {
		for _, n := range k.AdditionalNetworks {
			p.AdditionalNetwork = append(p.AdditionalNetwork, "name:"+n.Name)
		}
		for _, d := range k.KubevirtHostDevices {
			text := d.DeviceName
			if d.Count > 1 {
				text += fmt.Sprintf(",count:%d", d.Count)
			}
			p.HostDeviceName = append(p.HostDeviceName, text)
		}
	}
	return p
}
