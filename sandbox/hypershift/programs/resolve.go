package programs

import (
	"net"
	"strings"

	"github.com/hcctl/hcctl/sandbox/real/registry"
)

// apiService is the Service of a control plane's API server.
const apiService = "kube-apiserver"

// resolve is the programs' DNS: the registries, and the API server of the control plane that a program works for. user
// is the control plane's namespace.
func (w *world) resolve(user, host, _ string) (string, error) {
	if registry.Serves(host) {
		if w.outage.Load() {
			return "", registry.ErrUnreachable
		}
		return w.registry.Address, nil
	}
	service, rest, _ := strings.Cut(host, ".")
	namespace, _, _ := strings.Cut(rest, ".")
	if namespace == "" {
		namespace = user
	}
	if service != apiService {
		return "", registry.ErrNoHost
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if g := w.guests[namespace]; g != nil {
		return net.JoinHostPort(g.address, apiPort), nil
	}
	return "", registry.ErrNoHost
}
