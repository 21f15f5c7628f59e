package follow

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/step"
)

// dnsTimeout bounds a DNS query.
const dnsTimeout = 2 * time.Second

// dnsFinding names the DNS record that is needed, and checks it from this machine.
func (i ingress) dnsFinding(ctx context.Context, r kube.Reader, hc *hyperv1.HostedCluster) step.Finding {
	domain := hostedcluster.AppsDomain(hc)
	key := client.ObjectKey{Namespace: hostedcluster.ControlPlaneNamespace(hc.Namespace, hc.Name), Name: hc.Name + "-apps"}
	service := &corev1.Service{}
	if err := r.Get(ctx, key, service); err != nil {
		return kube.Unknown(err).On("Service %s", key)
	}
	ask, cancel := context.WithTimeout(ctx, dnsTimeout)
	defer cancel()
	// A random name is in no cache, and only a wildcard record resolves it.
	addresses, err := i.resolve(ask, "hcctl-"+strings.ToLower(rand.Text()[:8])+"."+domain)
	return evaluateDNS(domain, kube.LoadBalancerAddress(service), addresses, err).On("Service %s", key)
}

func evaluateDNS(domain, address string, addresses []string, err error) step.Finding {
	record := fmt.Sprintf(
		"set the DNS record *.%s to %s; the hosted cluster's console is not ready, and the HostedCluster stays Partial, "+
			"before it resolves", domain, address)
	var unknown *net.DNSError
	switch {
	case errors.As(err, &unknown) && unknown.IsNotFound:
		return step.Missing("*.%s does not resolve from here; its address is %s", domain, address).WithHint("%s", record)
	case err != nil:
		return step.Unknown("whether *.%s resolves to %s is not known: the resolver of this machine does not answer",
			domain, address).WithHint("%s", record)
	case !slices.Contains(addresses, address):
		return step.Missing("*.%s resolves to %s, not to %s", domain, strings.Join(addresses, ", "), address).WithHint("%s",
			record)
	}
	return step.OK("*.%s resolves to %s", domain, address)
}
