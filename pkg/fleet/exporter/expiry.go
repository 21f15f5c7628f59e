package exporter

import (
	"context"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/hcctl/hcctl/pkg/hostedcluster/expiry"
	"github.com/hcctl/hcctl/pkg/hostedcluster/status"
	"github.com/hcctl/hcctl/pkg/kube"
)

// expiryInterval is the time between two reads of the expiry of certificates and tokens.
const expiryInterval = time.Hour

// secretKind is the name of this source in hcctl_exporter_source_up.
const secretKind = "Secret"

// readExpiry reads when certificates and tokens of all clusters expire.
func (f *Fleet) readExpiry(ctx context.Context, c kube.Reader) {
	f.mu.Lock()
	clusters := f.shown()
	f.mu.Unlock()
	ends := status.ExpiriesOf(ctx, c, clusters)
	if ctx.Err() != nil {
		return
	}
	ok := true
	for _, items := range ends {
		for _, i := range items {
			ok = ok && !i.Unread
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ends, f.up[secretKind] = ends, ok
	f.noteReady()
}

// expiry adds the earliest expiry of each class.
func (c *collection) expiry(key types.NamespacedName, namespace, name string) {
	for _, class := range expiry.Classes() {
		var own []*expiry.Item
		for _, i := range c.ends[key] {
			if i.Class == class {
				own = append(own, i)
			}
		}
		if first := expiry.First(own); first != nil {
			c.putTime(clusterExpiry, first.Until, namespace, name, string(class))
		}
	}
}
