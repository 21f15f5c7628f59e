package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/hcctl/hcctl/sandbox/world"
)

// apiPort is the port of hosted API servers on their load balancer addresses.
const apiPort = 6443

// claimNet reserves a /24 of loopback for the load balancer addresses of this sandbox, so that two sandboxes on one
// machine never use the same ones. It listens on the first address, which the kernel frees even if the sandbox is
// killed; the first choice is the net that is written in the objects.
func claimNet(ctx context.Context) (world.Net, net.Listener, error) {
	var config net.ListenConfig
	var last error
	for _, n := range world.Nets() {
		l, err := config.Listen(ctx, "tcp", fmt.Sprintf("%s1:%d", n.Prefix(), apiPort))
		if err == nil {
			return n, l, nil
		}
		last = err
	}
	return world.Net{}, nil, errors.Join(errors.New("no loopback addresses are left for a load balancer"), last)
}

// rewriteAddresses replaces the addresses in keys and values of a recording by those of this sandbox. Objects with
// addresses are custom resources, which etcd holds as JSON.
func rewriteAddresses(keys map[string][]byte, n world.Net) {
	for key, value := range keys {
		keys[key] = bytes.ReplaceAll(value, []byte(world.DefaultNet.Prefix()), []byte(n.Prefix()))
	}
}
