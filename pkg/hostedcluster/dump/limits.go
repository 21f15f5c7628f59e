package dump

import (
	"errors"
	"fmt"
	"time"
)

// Size limits of a dump in bytes before compression. What exceeds them becomes a gap.
const (
	mib = 1 << 20
	// allBytes limits the whole dump. The logs of a large control plane have several hundred megabytes.
	allBytes = 2 << 30
	// fileBytes limits one file. It is enough for 10,000 pods.
	fileBytes = 256 * mib
	// guestBytes and guestFileBytes limit the data from the hosted cluster, whose tenant controls its size.
	guestBytes, guestFileBytes = 128 * mib, 32 * mib
	// defaultLogBytes and defaultGuestLogBytes are the log limits of Defaults.
	defaultLogBytes, defaultGuestLogBytes = 5 * mib, 128 * mib
	// consoleBytes limits the output that is read from one serial console, which has no end.
	consoleBytes = mib
	// maxJournals limits the nodes whose journals are read, maxConsoles the VMs whose consoles are opened.
	maxJournals, maxConsoles = 50, 50
	// summaryBytes limits the memory for the summaries of each cluster.
	summaryBytes = 16 * mib
	// largeObject is the size from which objects are converted to text one at a time, because that needs several times as
	// much memory.
	largeObject = mib
	// secretBytes limits the Secrets whose content is removed from the dump. Above it nothing is written.
	secretBytes = 64 * mib
)

const (
	// requestTimeout limits one request, so that a request without a response does not use up the time.
	requestTimeout = 30 * time.Second
	// pagesTimeout limits the reading of one kind on the management cluster, which may have many pages.
	pagesTimeout = 2 * time.Minute
	// guestTime limits all requests to the hosted cluster for objects, guestLogTime those for logs.
	guestTime, guestLogTime = 2 * time.Minute, 4 * time.Minute
	// consoleTime is the time for which one serial console is read.
	consoleTime = 5 * time.Second
	// maxParallelRequests limits the parallel requests.
	maxParallelRequests = 8
	// maxParallelLogs and maxParallelGuest limit the parallel requests with large responses. Each holds a log or a page in
	// memory.
	maxParallelLogs, maxParallelGuest = 3, 2
)

// FullError means that a file or the dump has reached its size limit.
type FullError struct {
	what  string
	limit int64
}

// Error returns the limit that is reached.
func (e *FullError) Error() string {
	return fmt.Sprintf("left out: %s has %d MiB, which is the most it may have", e.what, e.limit/mib)
}

// errUnsafe means that the dump would contain secrets.
var errUnsafe = errors.New("nothing was gathered: the Secrets around the cluster are too large " +
	"to be taken out of everything else")

// allowance is a size limit in bytes and the used part of it.
type allowance struct {
	what        string
	limit, used int64
}
