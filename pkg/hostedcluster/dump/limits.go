package dump

import (
	"errors"
	"fmt"
	"time"
)

// The size limits of a dump in bytes before compression. What exceeds them is a gap.
const (
	mib = 1 << 20
	// allBytes limits the dump: the logs of a large control plane have several hundred megabytes.
	allBytes = 2 << 30
	// fileBytes limits one file: 10,000 pods.
	fileBytes = 256 * mib
	// guestBytes and guestFileBytes limit what comes from the hosted cluster, whose tenant decides how much that is.
	guestBytes, guestFileBytes = 128 * mib, 32 * mib
	// defaultLogBytes and defaultGuestLogBytes are those of Defaults.
	defaultLogBytes, defaultGuestLogBytes = 5 * mib, 128 * mib
	// consoleBytes limits what is read of one serial console, which has no end.
	consoleBytes = mib
	// maxJournals limits the nodes whose journals are read, maxConsoles the VMs whose consoles are opened.
	maxJournals, maxConsoles = 50, 50
	// summaryBytes limits the memory for the summaries, for each of the two clusters.
	summaryBytes = 16 * mib
	// largeObject is the size from which objects become text one at a time, since that takes several times as much memory.
	largeObject = mib
	// secretBytes limits the Secrets whose content is removed from the dump. Beyond it nothing is written.
	secretBytes = 64 * mib
)

const (
	// requestTimeout bounds one request, so that one without an answer does not use up the time.
	requestTimeout = 30 * time.Second
	// pagesTimeout bounds the objects of one kind of the management cluster, which may be many pages.
	pagesTimeout = 2 * time.Minute
	// guestTime bounds all requests to the hosted cluster for objects, guestLogTime those for logs.
	guestTime, guestLogTime = 2 * time.Minute, 4 * time.Minute
	// consoleTime is how long one serial console is listened to.
	consoleTime = 5 * time.Second
	// maxParallelRequests bounds the parallel requests.
	maxParallelRequests = 8
	// maxParallelLogs and maxParallelGuest bound the requests with large answers. Each holds a log or a page in memory.
	maxParallelLogs, maxParallelGuest = 3, 2
)

// FullError means that a file or the dump has reached its size limit.
type FullError struct {
	what  string
	limit int64
}

// Error names the limit.
func (e *FullError) Error() string {
	return fmt.Sprintf("left out: %s has %d MiB, which is the most it may have", e.what, e.limit/mib)
}

// errUnsafe means that the dump would contain secrets.
var errUnsafe = errors.New("nothing was gathered: the Secrets around the cluster are too large " +
	"to be taken out of everything else")

// allowance is a size limit and how much of it is used.
type allowance struct {
	what        string
	limit, used int64
}
