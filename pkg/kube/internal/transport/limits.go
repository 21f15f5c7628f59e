package transport

// Size bounds one answer.
type Size struct {
	// Bytes bounds the body, counted after decompression.
	Bytes int64
	// Memory bounds what a JSON body takes once it is decoded, in bytes, by estimate (see jsonMeter). Protobuf is
	// bounded by Bytes alone.
	Memory int64
}

// Limits are the most that an API server may send, by kind of request. What is larger is a *TooLargeError.
type Limits struct {
	// Object is for one object, and for whatever is none of the others: versions, health, reviews.
	Object Size
	// Page is for one page of a list, or for a list that has only one.
	Page Size
	// Lists replaces Page for some resources, named like "nodes" or "packagemanifests.packages.operators.coreos.com".
	Lists map[string]Size
	// List is for all pages of a list. Its Memory counts only where they are held together.
	List Size
	// Pages is how many pages a list may have.
	Pages int
	// Kinds is for discovery: the API's groups, versions and resources.
	Kinds Size
	// Event is for one event of a watch. A watch as a whole has no limit.
	Event Size
	// Log is for the log of one container, in bytes.
	Log int64
	// JSONOnly refuses other encodings, in which few bytes may stand for much memory.
	JSONOnly bool
}

const (
	kib = 1 << 10
	mib = 1 << 20
	gib = 1 << 30
)

// For both kinds of API servers.
const (
	// maxErrorBytes bounds the body of an error; the rest is left out. A Status has some hundred bytes.
	maxErrorBytes = 64 * kib
	// maxHeaderBytes bounds the header, and the trailer, of an answer. Go's own limit is 10 MiB.
	maxHeaderBytes = mib
	// maxWarnings and maxWarningBytes bound the Warning headers of one answer; the rest is left out.
	maxWarnings     = 20
	maxWarningBytes = 2 * kib
	// maxDepth is how deep JSON may be nested. The schemas of large CRDs come to less than 100.
	maxDepth = 512
	// maxTokenBytes bounds a continue token, which goes into the next request's URL. Real ones have some hundred bytes.
	maxTokenBytes = 16 * kib
	// maxEmptyPages is how many pages of a list may have no object although more are to come.
	maxEmptyPages = 50
)

// ManagementLimits are for the management cluster. Its API server is trusted: they are generous, so that nothing real
// fails, and only keep a broken server, or a proxy in its place, from using up the memory.
func ManagementLimits() Limits {
	return Limits{
		// etcd takes objects of up to 1.5 MiB, which JSON may double.
		Object: Size{16 * mib, 128 * mib},
		// 500 HostedClusters are 5 to 10 MiB. Of what is larger, fewer are asked for at once.
		Page: Size{16 * mib, 128 * mib},
		Lists: map[string]Size{
			// They have no pages: all of OpenShift's catalogs together come to 20 to 60 MiB, where the server ignores
			// the selector.
			"packagemanifests.packages.operators.coreos.com": {128 * mib, gib},
		},
		// 50,000 pods; ten thousand HostedClusters.
		List:  Size{4 * gib, 2 * gib},
		Pages: 20_000,
		// OpenShift with Advanced Cluster Management has about 300 groups: 2 MiB.
		Kinds: Size{32 * mib, 128 * mib},
		Event: Size{16 * mib, 128 * mib},
		// Kubelets begin a new log at 10 to 50 MiB.
		Log: 64 * mib,
	}
}

// GuestLimits are for the API server of a hosted cluster, which its tenant may have replaced: they are tight.
func GuestLimits() Limits {
	return Limits{
		Object: Size{2 * mib, 8 * mib},
		Page:   Size{4 * mib, 16 * mib},
		// 500 nodes, the most that a hosted cluster may have, come to 20 MiB.
		List:     Size{64 * mib, 96 * mib},
		Pages:    2_000,
		Kinds:    Size{2 * mib, 16 * mib},
		Event:    Size{4 * mib, 16 * mib},
		Log:      16 * mib,
		JSONOnly: true,
	}
}

// GuestOf is for the API server of a hosted cluster: GuestLimits instead of ManagementLimits, and errors name the
// cluster.
func GuestOf(namespace, name string) Option {
	return func(p *Retry) {
		p.Limits, p.server = GuestLimits(), "the API server of hosted cluster "+namespace+"/"+name
	}
}

// ChangeLimits changes the limits that the options before it have set.
func ChangeLimits(change func(*Limits)) Option {
	return func(p *Retry) { change(&p.Limits) }
}

// page is the limit of a page of a list of the resource.
func (l Limits) page(resource string) Size {
	if size, special := l.Lists[resource]; special {
		return size
	}
	return l.Page
}
