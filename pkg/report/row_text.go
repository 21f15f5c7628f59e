package report

import (
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/internal/sanitize"
	"github.com/hcctl/hcctl/pkg/step"
)

// rowText is the text of a finding, without secrets and on one line. Live rows and plain lines use it.
type rowText struct{ reason, object string }

// rowTextOf returns the text of a finding. Messages of operators can have several lines, which it joins.
func rowTextOf(f step.Finding) rowText {
	f = redacted(f)
	reason := strings.Join(strings.Fields(f.Message), " ")
	if f.Object != "" {
		if rest, named := strings.CutPrefix(reason, f.Object+": "); named {
			return rowText{rest, f.Object}
		}
	}
	if strings.Contains(reason, f.Object) {
		return rowText{reason: reason}
	}
	return rowText{reason, f.Object}
}

// resultRowText returns the text of a step's result.
func resultRowText(r step.Result) rowText {
	if r.Err != nil && !r.Good() {
		return rowText{reason: strings.Join(strings.Fields(errorText(r.Err)), " ")}
	}
	return rowTextOf(r.Finding)
}

// line returns the whole text.
func (s rowText) line() string {
	switch {
	case s.object == "":
		return s.reason
	case s.reason == "":
		return s.object
	}
	return s.object + ": " + s.reason
}

// The minimum widths for fit, in columns: of the object, and of the text before the object gets a part of it.
const (
	separator         = " · "
	minObjectWidth    = 16
	minWidthForObject = 60
)

// fit returns the text in a number of columns: the reason first, then the object, shortened in its middle. If the space
// is too small, it has only the reason.
func (s rowText) fit(columns int) string {
	reason, object := sanitize.Value(causeFirst(s.reason)), sanitize.Value(s.object)
	switch {
	case object == "":
		return cutEnd(reason, columns)
	case reason == "":
		return cutMiddle(object, columns)
	}
	left := columns - cells(reason) - cells(separator)
	switch {
	case left >= min(cells(object), minObjectWidth):
		return reason + separator + cutMiddle(object, left)
	case columns >= minWidthForObject:
		object = cutMiddle(object, minObjectWidth)
		return cutEnd(reason, columns-cells(separator)-cells(object)) + separator + object
	}
	return cutEnd(reason, columns)
}

// causeFirst moves the cause before a count: "0 of 2 VMs ready: Unschedulable" begins with Unschedulable.
func causeFirst(reason string) string {
	count, cause, found := strings.Cut(reason, ": ")
	var have, want int
	if n, _ := fmt.Sscanf(count, "%d of %d ", &have, &want); !found || n < 2 {
		return reason
	}
	return cause + " (" + count + ")"
}
