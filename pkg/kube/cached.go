package kube

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Cached is a ListOption of Client.List, for what changes seldom, or is only told of: the answer may be what the API server has in its cache
// (resourceVersion 0). It may be older than what this client has read or written. Any other list waits until the cache is known to have everything that was
// written before, whatever it was about: 20 to 100 ms where something is written all the time (ConsistentListFromCache, on since Kubernetes 1.31: the API server asks etcd
// how far it is no more than ten times a second). Under a Watch it makes no difference.
type Cached struct{}

// ApplyToList implements client.ListOption.
func (Cached) ApplyToList(o *client.ListOptions) {
	o.Raw = &metav1.ListOptions{ResourceVersion: anyVersion}
}
