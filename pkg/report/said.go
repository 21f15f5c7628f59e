package report

import (
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// said is a finding in words, without secrets and on one line. Live rows and plain lines are made from it.
type said struct{ reason, object string }

// saidOf returns a finding in words. Messages of operators can have several lines.
func saidOf(f step.Finding) said {
	f = redacted(f)
	reason := strings.Join(strings.Fields(f.Message), " ")
	if f.Object != "" {
		if rest, named := strings.CutPrefix(reason, f.Object+": "); named {
			return said{rest, f.Object}
		}
	}
	if strings.Contains(reason, f.Object) {
		return said{reason: reason}
	}
	return said{reason, f.Object}
}

// resultSaid returns what the end of a step says.
func resultSaid(r step.Result) said {
	if r.Err != nil && !r.Good() {
		return said{reason: strings.Join(strings.Fields(errorText(r.Err)), " ")}
	}
	return saidOf(r.Finding)
}

// line returns the whole text, for lines of any length.
func (s said) line() string {
	switch {
	case s.object == "":
		return s.reason
	case s.reason == "":
		return s.object
	}
	return s.object + ": " + s.reason
}

// The columns that fit gives to the object.
const (
	separator    = " · "
	fewestObject = 16
	wideEnough   = 60
)

// fit returns the text in a number of columns: the reason first, the object last and shortened in its middle. A reason
// that needs the space comes before the object.
func (s said) fit(columns int) string {
	reason, object := sanitize.Value(causeFirst(s.reason)), sanitize.Value(s.object)
	switch {
	case object == "":
		return cutEnd(reason, columns)
	case reason == "":
		return cutMiddle(object, columns)
	}
	left := columns - cells(reason) - cells(separator)
	switch {
	case left >= min(cells(object), fewestObject):
		return reason + separator + cutMiddle(object, left)
	case columns >= wideEnough:
		object = cutMiddle(object, fewestObject)
		return cutEnd(reason, columns-cells(separator)-cells(object)) + separator + object
	}
	return cutEnd(reason, columns)
}

// causeFirst puts what a count waits for before the count: "0 of 2 VMs ready: Unschedulable" begins with Unschedulable.
func causeFirst(reason string) string {
	count, cause, found := strings.Cut(reason, ": ")
	var have, want int
	if n, _ := fmt.Sscanf(count, "%d of %d ", &have, &want); !found || n < 2 {
		return reason
	}
	return cause + " (" + count + ")"
}
