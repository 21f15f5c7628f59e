package options

import (
	"bytes"
	"errors"
	"net/netip"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/hcctl/hcctl/internal/option"
)

// JumpHost is an SSH server on the management cluster that can reach the nodes and the API server of one hosted
// cluster.
type JumpHost struct {
	// Image has an OpenSSH server. Empty means no jump host.
	Image string `yaml:"image"`
	// AuthorizedKeys holds public keys, one per line. AuthorizedKeysSecret names a Secret in the HostedCluster's namespace
	// that has them under the key authorized_keys.
	AuthorizedKeys       File   `yaml:"authorizedKeys"`
	AuthorizedKeysSecret string `yaml:"authorizedKeysSecret"`
	// Address and Port of the Service. An empty address means any.
	Address string `yaml:"address"`
	Port    int32  `yaml:"port"`
	// CPU and Memory are the pod's requests, as quantities. Memory is also its limit.
	CPU    string `yaml:"cpu"`
	Memory string `yaml:"memory"`
}

// ValidatedJumpHost is a validated JumpHost.
type ValidatedJumpHost struct {
	Image string
	// AuthorizedKeys is the content of an authorized_keys file; empty if AuthorizedKeysSecret is set.
	AuthorizedKeys       []byte
	AuthorizedKeysSecret string
	// Address is the zero value if any address will do.
	Address     netip.Addr
	Port        int32
	CPU, Memory resource.Quantity
}

// AuthorizedKeysKey is the key of a Secret with the content of an authorized_keys file.
const AuthorizedKeysKey = "authorized_keys"

// defaultJumpHost returns no jump host, with the default settings of one.
func defaultJumpHost() JumpHost { return JumpHost{Port: 22, CPU: "50m", Memory: "64Mi"} }

// jumpHostFields lists the options of the jump host. Its objects are separate from the cluster's.
func jumpHostFields() []Field {
	const within = "services.jumpHost."
	const deployment = "Deployment jump-host spec.template.spec"
	const with = "--jump-host registry.example/openssh:9 --jump-host-keys id.pub"
	return serviceRows([]Field{
		{Name: within + "image", Flag: "jump-host", Check: imageReference("registry.example.com/tools/ssh:1.0"),
			Writes: deployment, Example: "registry.example/openssh:9", With: "--jump-host-keys id.pub",
			Text: "image with an OpenSSH server, for a jump host from which the nodes and the API server can be reached"},
		{Name: within + "authorizedKeys", Flag: "jump-host-keys", Writes: "Secret jump-host-keys data",
			Example: "id.pub", With: "--jump-host registry.example/openssh:9",
			Text: "file with the public keys that may log in to the jump host, one on a line"},
		{Name: within + "authorizedKeysSecret", Flag: "jump-host-keys-secret", Check: secretName(),
			Writes: "Secret jump-host-keys data", Example: "kv-00-jump-host-keys",
			With: "--jump-host registry.example/openssh:9",
			Text: "Secret beside the HostedCluster that has these keys as authorized_keys, instead of a file"},
		{Name: within + "address", Flag: "jump-host-address", Writes: "Service jump-host spec.loadBalancerIP",
			Example: "192.168.216.40", With: with,
			Text: "IP address of the jump host; by default any that the load balancer gives"},
		{Name: within + "port", Flag: "jump-host-port", Writes: "Service jump-host spec.ports", Example: "2222",
			With: with, Text: "port of the jump host at its address"},
		{Name: within + "cpu", Flag: "jump-host-cpu", Writes: deployment, Example: "100m", With: with,
			Text: "CPU that the jump host requests"},
		{Name: within + "memory", Flag: "jump-host-memory", Writes: deployment, Example: "128Mi", With: with,
			Text: "memory that the jump host requests and may use"},
	})
}

// ParseAuthorizedKeys checks the content of an authorized_keys file.
func ParseAuthorizedKeys(content []byte) error { return checkPublicKeys(content) }

func (o Cluster) parseJumpHost(v *validated) error {
	const within = "services.jumpHost."
	j, defaults := o.Services.JumpHost, defaultJumpHost()
	if j.Image == "" {
		return onlyWith("--jump-host: give an image with an OpenSSH server",
			setting{within + "authorizedKeys", j.AuthorizedKeys.Path, j.AuthorizedKeys.Given()},
			setting{within + "authorizedKeysSecret", j.AuthorizedKeysSecret, j.AuthorizedKeysSecret != ""},
			setting{within + "address", j.Address, j.Address != ""}, setting{within + "port", "", j.Port != defaults.Port},
			setting{within + "cpu", j.CPU, j.CPU != defaults.CPU},
			setting{within + "memory", j.Memory, j.Memory != defaults.Memory})
	}
	out := &ValidatedJumpHost{Image: j.Image, AuthorizedKeysSecret: j.AuthorizedKeysSecret, Port: j.Port}
	errs := []error{
		j.AuthorizedKeys.validate(within+"authorizedKeys", func(content []byte) error {
			out.AuthorizedKeys = append(bytes.TrimSpace(content), '\n')
			return checkPublicKeys(content)
		}),
	}
	switch given := j.AuthorizedKeys.Given(); {
	case given && j.AuthorizedKeysSecret != "":
		errs = append(errs, Errorf(within+"authorizedKeysSecret", j.AuthorizedKeysSecret,
			"not together with --jump-host-keys: give only one of the two"))
	case !given && j.AuthorizedKeysSecret == "":
		errs = append(errs, Errorf(within+"authorizedKeys", "",
			"who may log in is not said: give a file of public keys, or a Secret with --jump-host-keys-secret"))
	}
	if o.InfraKubeconfigFile.Given() {
		errs = append(errs, Errorf(within+"image", j.Image,
			"not together with --infra-kubeconfig-file: it would not reach the worker VMs on another cluster"))
	}
	if j.Port < 1 || j.Port > 65535 {
		errs = append(errs, &option.Error{Field: within + "port", Value: j.Port, Detail: "has to be between 1 and 65535"})
	}
	if j.Address != "" {
		var err error
		if out.Address, err = netip.ParseAddr(j.Address); err != nil || out.Address.Zone() != "" {
			errs = append(errs, Errorf(within+"address", j.Address, "not an IP address, such as 192.168.216.40"))
		}
	}
	for _, q := range []struct {
		field, given string
		at           *resource.Quantity
	}{{"cpu", j.CPU, &out.CPU}, {"memory", j.Memory, &out.Memory}} {
		parsed, err := resource.ParseQuantity(q.given)
		if err != nil || parsed.Sign() <= 0 {
			errs = append(errs, Errorf(within+q.field, q.given, "not a quantity above zero, such as 50m or 64Mi"))
		}
		*q.at = parsed
	}
	v.TenantServices.JumpHost = out
	return errors.Join(errs...)
}
