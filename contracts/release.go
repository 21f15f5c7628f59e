package contracts

import (
	"fmt"
	"strconv"
	"strings"
)

// Release is a minor release of an operator: 4.12 of OpenShift, 2.11 of multicluster engine.
type Release struct{ Major, Minor int }

// ParseRelease reads a release; a patch level and a leading v are left out. It fails for anything else.
func ParseRelease(text string) (Release, error) {
	parts := strings.SplitN(strings.TrimPrefix(text, "v"), ".", 3)
	if len(parts) < 2 {
		return Release{}, fmt.Errorf("release %q is not MAJOR.MINOR", text)
	}
	major, err := strconv.Atoi(parts[0])
	if err != nil {
		return Release{}, fmt.Errorf("release %q is not MAJOR.MINOR: %w", text, err)
	}
	minor, err := strconv.Atoi(parts[1])
	if err != nil {
		return Release{}, fmt.Errorf("release %q is not MAJOR.MINOR: %w", text, err)
	}
	return Release{major, minor}, nil
}

// String returns the form of the tables, such as 4.12.
func (r Release) String() string { return fmt.Sprintf("%d.%d", r.Major, r.Minor) }

// Before reports whether r is older than other.
func (r Release) Before(other Release) bool {
	return r.Major < other.Major || r.Major == other.Major && r.Minor < other.Minor
}

// Span is the releases from First to Last, both included.
type Span struct{ First, Last Release }

// Releases is a list of spans. An empty list has every release.
type Releases []Span

// ParseReleases reads a list such as "4.12-4.15", "2.2,2.5-2.11" or "4.14+", which ends with newest.
func ParseReleases(text string, newest Release) (Releases, error) {
	var all Releases
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		first, last, ranged := strings.Cut(part, "-")
		from, open := strings.CutSuffix(first, "+")
		span := Span{Last: newest}
		var err error
		if span.First, err = ParseRelease(from); err != nil {
			return nil, err
		}
		switch {
		case ranged:
			if span.Last, err = ParseRelease(last); err != nil {
				return nil, err
			}
		case !open:
			span.Last = span.First
		}
		if span.Last.Before(span.First) {
			return nil, fmt.Errorf("releases %q end before they begin", part)
		}
		all = append(all, span)
	}
	return all, nil
}

// Has reports whether the list has that release.
func (r Releases) Has(release Release) bool {
	for _, s := range r {
		if !release.Before(s.First) && !s.Last.Before(release) {
			return true
		}
	}
	return len(r) == 0
}

// lastMinors are the last minor releases before 5.0, by major number: OpenShift 4.23 is 5.0 under its other number, and
// multicluster engine 2.17 has the same step.
var lastMinors = map[int]int{2: 17, 4: 23}

// All lists every release of the spans, oldest first. It fails for a span over a step that it does not know.
func (r Releases) All() ([]Release, error) {
	var all []Release
	for _, s := range r {
		at := s.First
		for at.Major < s.Last.Major {
			last, known := lastMinors[at.Major]
			if !known || at.Minor > last {
				return nil, fmt.Errorf("no release is known to follow %s on the way to %s", at, s.Last)
			}
			all = append(all, at)
			if at.Minor++; at.Minor > last {
				at = Release{Major: 5}
			}
		}
		for ; !s.Last.Before(at); at.Minor++ {
			all = append(all, at)
		}
	}
	return all, nil
}
