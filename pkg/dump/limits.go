package dump

import (
	"errors"
	"fmt"
	"time"
)

// What a dump may come to, in bytes before it is packed. What is left out is a gap.
const (
	mib = 1 << 20
	// allBytes bounds the dump: the logs of a large control plane come to several hundred megabytes.
	allBytes = 2 << 30
	// fileBytes bounds one file: 10,000 pods.
	fileBytes = 256 * mib
	// guestBytes and guestFileBytes bound what comes from the hosted cluster, whose tenant decides how much that is.
	guestBytes, guestFileBytes = 128 * mib, 32 * mib
	// toldBytes bounds what is held in memory for the summaries, for the management cluster and for the hosted
	// cluster each.
	toldBytes = 16 * mib
	// largeObject is the size from which objects are made into text one at a time: that takes several times as much.
	largeObject = mib
	// secretBytes bounds the content of Secrets that is looked for in all that is written. Beyond, nothing is written
	// at all.
	secretBytes = 64 * mib
)

const (
	// requestTimeout bounds one question, so that one that is never answered does not use up the time of the others.
	requestTimeout = 30 * time.Second
	// pagesTimeout is the same for the objects of one kind of the management cluster, which may be many pages.
	pagesTimeout = 2 * time.Minute
	// guestTime bounds all that is asked of the hosted cluster.
	guestTime = 2 * time.Minute
	// requestsAtOnce bounds how many are under way.
	requestsAtOnce = 8
	// logsAtOnce and guestAtOnce bound how many of them are for what may be large: each holds a log, or a page, in memory.
	logsAtOnce, guestAtOnce = 3, 2
)

// FullError means that a file, or the dump, has as much in it as it may.
type FullError struct {
	what  string
	limit int64
}

// Error says what is full.
func (e *FullError) Error() string {
	return fmt.Sprintf("left out: %s has %d MiB, which is the most it may have", e.what, e.limit/mib)
}

// errUnsafe means that a dump would have secrets in it.
var errUnsafe = errors.New("nothing was gathered: the Secrets around the cluster are too large " +
	"to be taken out of everything else")

// allowance is what may still be written, of all and of a part.
type allowance struct {
	what        string
	limit, used int64
}
