package kubelet

import (
	"net/netip"
	"sync"
)

// addresses allocates pod addresses from a range inside the cluster network 10.128.0.0/14. Nothing answers there.
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

// reserve marks the address of a pod from an earlier run of the cluster as used.
func (a *addresses) reserve(ip string) {
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
