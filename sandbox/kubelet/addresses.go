package kubelet

import (
	"net/netip"
	"sync"
)

// addresses hands out pod addresses from a made-up range inside the cluster network 10.128.0.0/14. Nothing answers
// there.
type addresses struct {
	mu   sync.Mutex
	last netip.Addr
}

func newAddresses() *addresses { return &addresses{last: netip.AddrFrom4([4]byte{10, 129, 0, 9})} }

func (a *addresses) next() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = a.last.Next()
	return a.last.String()
}

// seen takes note of an address that a pod has from an earlier run of the cluster, so that no other pod gets it.
func (a *addresses) seen(ip string) {
	addr, err := netip.ParseAddr(ip)
	if err != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.last.Less(addr) && addr.Is4() && addr.As4()[0] == 10 {
		a.last = addr
	}
}
