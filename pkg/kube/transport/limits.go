package transport

// Size limits one answer.
type Size struct {
	// Bytes limits the decompressed body.
	Bytes int64
	// Memory limits the estimated decoded size of a JSON body in bytes, see jsonMeter. For Protobuf only Bytes counts.
	Memory int64
}

// Limits are the maximum sizes of answers by kind of request. A larger answer is a *TooLargeError.
type Limits struct {
	// Object is for a single object and all other requests: versions, health, reviews.
	Object Size
	// Page is for one page of a list.
	Page Size
	// Lists replaces Page for some resources, such as "nodes" or "packagemanifests.packages.operators.coreos.com".
	Lists map[string]Size
	// List is for all pages of a list. Memory counts only if the caller keeps all pages.
	List Size
	// Pages is the maximum number of pages of a list.
	Pages int
	// Kinds is for discovery: the API's groups, versions and resources.
	Kinds Size
	// Event is for one event of a watch. A watch as a whole has no limit.
	Event Size
	// Log is for the log of one container, in bytes.
	Log int64
	// JSONOnly rejects other encodings, in which few bytes may expand to much memory.
	JSONOnly bool
}

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// Limits for both the management cluster and hosted clusters.
const (
	// maxErrorBytes limits the body of an error; the rest is cut. A Status has some hundred bytes.
	maxErrorBytes = 64 * kib
	// maxHeaderBytes limits the header and the trailer of an answer. Go's own limit is 10 MiB.
	maxHeaderBytes = mib
	// maxWarnings and maxWarningBytes limit the Warning headers of an answer.
	maxWarnings     = 20
	maxWarningBytes = 2 * kib
	// maxDepth is the maximum nesting of JSON. The schemas of large CRDs stay below 100.
	maxDepth = 512
	// maxTokenBytes limits a continue token, which is part of the next URL. Real ones have some hundred bytes.
	maxTokenBytes = 16 * kib
	// maxEmptyPages is the maximum number of empty pages of a list.
	maxEmptyPages = 50
)

// ManagementLimits returns the limits for the management cluster, which is trusted. They only protect the memory from a
// broken server or proxy.
func ManagementLimits() Limits {
	return Limits{
		// etcd accepts objects of up to 1.5 MiB; JSON may double the size.
		Object: Size{16 * mib, 128 * mib},
		// 500 HostedClusters have 5 to 10 MiB. Larger pages are retried with fewer objects.
		Page: Size{16 * mib, 128 * mib},
		Lists: map[string]Size{
			// This aggregated API has no paging: all catalogs together have 20 to 60 MiB if the server ignores the selector.
			"packagemanifests.packages.operators.coreos.com": {128 * mib, gib},
		},
		// 50,000 pods; ten thousand HostedClusters.
		List:  Size{4 * gib, 2 * gib},
		Pages: 20_000,
		// OpenShift with Advanced Cluster Management has about 300 groups, 2 MiB.
		Kinds: Size{32 * mib, 128 * mib},
		Event: Size{16 * mib, 128 * mib},
		// Kubelets rotate logs at 10 to 50 MiB.
		Log: 64 * mib,
	}
}

// GuestLimits returns the limits for the API server of a hosted cluster. They are tight, because the tenant may have
// replaced the server.
func GuestLimits() Limits {
	return Limits{
		Object: Size{2 * mib, 8 * mib},
		Page:   Size{4 * mib, 16 * mib},
		// 500 nodes, the maximum of a hosted cluster, have 20 MiB.
		List:     Size{64 * mib, 96 * mib},
		Pages:    2_000,
		Kinds:    Size{2 * mib, 16 * mib},
		Event:    Size{4 * mib, 16 * mib},
		Log:      16 * mib,
		JSONOnly: true,
	}
}

// GuestOf sets GuestLimits for the API server of a hosted cluster, and adds the cluster's name to errors.
func GuestOf(namespace, name string) Option {
	return func(p *Retry) {
		p.Limits, p.server = GuestLimits(), "the API server of hosted cluster "+namespace+"/"+name
	}
}

// InfrastructureOf is GuestOf for a separate infrastructure cluster, which runs the worker VMs of a hosted cluster. It
// is not trusted, because a Secret has its address.
func InfrastructureOf(namespace, name string) Option {
	return func(p *Retry) {
		p.Limits, p.server = GuestLimits(), "the infrastructure cluster of hosted cluster "+namespace+"/"+name
	}
}

// page returns the limit of a page of the resource.
func (l Limits) page(resource string) Size {
	if size, special := l.Lists[resource]; special {
		return size
	}
	return l.Page
}
