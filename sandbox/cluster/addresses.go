package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/hcctl/hcctl/sandbox/world"
)

// apiPort is where hosted API servers listen on their load balancer addresses.
const apiPort = 6443

// claim takes a /24 of loopback for the load balancer addresses of this sandbox, as long as it lives: hosted API
// servers listen on them, and two sandboxes on one machine would otherwise give out the same ones, so that a client of
// one hosted cluster meets another. The claim is a listener on the first address, which the kernel gives back even if
// the sandbox is killed. The first choice is the net that is written in the objects, so that a sandbox alone has the
// addresses one reads there.
func claim(ctx context.Context) (world.Net, net.Listener, error) {
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

// readdress replaces the addresses of the objects by those of this sandbox, in keys and values of a recording. Objects
// with addresses are custom resources, which etcd holds as JSON.
func readdress(keys map[string][]byte, n world.Net) {
	for key, value := range keys {
		keys[key] = bytes.ReplaceAll(value, []byte(world.Written.Prefix()), []byte(n.Prefix()))
	}
}
