package schedule

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/internal/imageref"
	"github.com/hcctl/hcctl/internal/lazyregexp"
	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/rbac"
)

// Options are which hosted clusters are stopped and started, when, and by which image.
type Options struct {
	// Namespace is the namespace of the hosted clusters and of the CronJobs.
	Namespace string
	// Selector selects the hosted clusters by their labels, such as "env=dev".
	Selector string
	// Stop and Start are times in the syntax of cron, such as "0 20 * * *". One of them may be empty.
	Stop, Start string
	// DeleteExpired is when expired clusters are deleted, in the same syntax; it may be empty.
	DeleteExpired string
	// TimeZone is the time zone of the times, a name of the tz database such as "Europe/Berlin".
	TimeZone string
	// Image is an image with hcctl in its PATH.
	Image string
}

// Schedule has validated Options.
type Schedule struct {
	Options
	selector    labels.Selector
	stop, start cron.Schedule
	clean       cron.Schedule
}

// Find returns the schedule of these clusters for its removal, whatever its times are. It returns an error if
// the selector is invalid.
func Find(namespace, selector string) (*Schedule, error) {
	parsed, err := parseSelector(selector)
	if err != nil {
		return nil, err
	}
	return &Schedule{Options: Options{Namespace: namespace, Selector: parsed.String()}, selector: parsed}, nil
}

// New validates the options. The times must come after now. The errors name flags, and are joined.
func New(o Options, now time.Time) (*Schedule, error) {
	s, err := Find(o.Namespace, o.Selector)
	if err = errors.Join(err, hostedcluster.CheckNamespace(o.Namespace)); err != nil {
		return nil, err
	}
	o.Selector, s.Options = s.Selector, o
	if o.Stop == "" && o.Start == "" && o.DeleteExpired == "" {
		err = fmt.Errorf(`when? Give %s, %s or both, or %s, such as %s "0 20 * * *"`, hint.Flag("stop"), hint.Flag("start"),
			hint.Flag("delete-expired"), hint.Flag("stop"))
	}
	var stopErr, startErr, cleanErr error
	s.stop, stopErr = parseTimes(hint.Flag("stop").String(), o.Stop, now)
	s.start, startErr = parseTimes(hint.Flag("start").String(), o.Start, now)
	s.clean, cleanErr = parseTimes(hint.Flag("delete-expired").String(), o.DeleteExpired, now)
	if err = errors.Join(err, stopErr, startErr, cleanErr, checkZone(o.TimeZone), CheckImage(o.Image)); err != nil {
		return nil, err
	}
	if o.Stop != "" && o.Stop == o.Start {
		return nil, fmt.Errorf("%s and %s are both %q: they would run at the same time", hint.Flag("stop"),
			hint.Flag("start"), o.Stop)
	}
	return s, nil
}

func parseSelector(text string) (labels.Selector, error) {
	parsed, err := labels.Parse(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %q: not a selector of labels; write it like env=dev", hint.Flag("selector"), text)
	case parsed.Empty():
		return nil, fmt.Errorf("which hosted clusters? Give %s, such as -l env=dev", hint.Flag("selector"))
	}
	return parsed, nil
}

// parseTimes parses times as the API server does. It returns an error for times that never come, and nil for an
// empty text.
func parseTimes(flag, text string, now time.Time) (cron.Schedule, error) {
	if text == "" {
		return nil, nil
	}
	const form = `write five fields, minute hour day-of-month month day-of-week, such as "0 20 * * 1-5"`
	if strings.Contains(text, "TZ") {
		return nil, fmt.Errorf("%s %q: the time zone does not belong here; give it as %s", flag, text,
			hint.Flag("time-zone"))
	}
	parsed, err := cron.ParseStandard(text)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s %q: %s; %s", flag, text, cronProblem(err), form)
	case parsed.Next(now).IsZero():
		return nil, fmt.Errorf("%s %q: there is no such day; %s", flag, text, form)
	}
	return parsed, nil
}

// cronProblem returns the parser's error in words for users.
func cronProblem(err error) string {
	text := err.Error()
	if strings.Contains(text, "failed to parse int") {
		return "one of its fields is no number"
	}
	return text
}

// zoneForm matches what Kubernetes accepts as the name of a time zone.
var zoneForm = lazyregexp.New(`^[A-Za-z_]+[A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+)*$`)

// checkZone returns an error for an invalid name of a time zone. It checks whether the zone exists only if this
// system has a time zone database; else the API server decides.
func checkZone(name string) error {
	const form = "write a name of the tz database, such as Europe/Berlin or UTC"
	if !zoneForm.MatchString(name) || strings.EqualFold(name, "Local") {
		return fmt.Errorf("%s %q: not the name of a time zone; %s", hint.Flag("time-zone"), name, form)
	}
	known := func(name string) bool {
		_, err := time.LoadLocation(name)
		return err == nil
	}
	if !known(name) && known("Europe/Berlin") { // otherwise this system has no time zone database
		return fmt.Errorf("%s %q: there is no such time zone; %s", hint.Flag("time-zone"), name, form)
	}
	return nil
}

const maxImage = 447

// CheckImage returns an error for an invalid image reference. The errors name the flag --image.
func CheckImage(image string) error {
	switch {
	case image == "":
		return fmt.Errorf("%s: an image with hcctl in its PATH is needed, such as registry.example.com/tools/hcctl:1.0",
			hint.Flag("image"))
	case len(image) > maxImage || !imageref.Valid(image):
		return fmt.Errorf("%s %q: not an image reference; write it like registry.example.com/tools/hcctl:1.0",
			hint.Flag("image"), image)
	}
	return nil
}

// Next returns when the clusters are stopped and started next, one line each. It returns nothing if this system
// does not know the time zone.
func (s *Schedule) Next(now time.Time) []string {
	zone, err := time.LoadLocation(s.TimeZone)
	if err != nil {
		return nil
	}
	var lines []string
	for _, j := range s.jobs() {
		if j.times != nil {
			at := j.times.Next(now.In(zone)).Format("Mon 2006-01-02 15:04 MST")
			lines = append(lines, fmt.Sprintf("%s next at %s", j.verb, at))
		}
	}
	return lines
}

// job is one CronJob of a schedule.
type job struct {
	verb, cron string
	times      cron.Schedule
	purpose    rbac.Purpose
}

// jobs returns all possible jobs, in a fixed order; times is nil for one that the schedule does not have.
func (s *Schedule) jobs() []job {
	return []job{{"stop", s.Stop, s.stop, rbac.Schedule}, {"start", s.Start, s.start, rbac.Schedule},
		{cleanVerb, s.DeleteExpired, s.clean, rbac.Cleanup}}
}

// cleanVerb is the verb of the job that deletes expired clusters.
const cleanVerb = "clean"

const (
	// maxBase leaves room for "-start": the name of a CronJob has at most 52 characters.
	maxBase    = 46
	hashDigits = 8
)

// notPlain matches characters that the name of an object cannot have.
var notPlain = lazyregexp.New(`[^a-z0-9]+`)

// Name returns the name of the schedule's ServiceAccount, and the prefix of its CronJobs: the selector's words
// and a hash of the selector, so that two selectors never have the same name.
func (s *Schedule) Name() string {
	sum := sha256.Sum256([]byte(s.Selector))
	hash := hex.EncodeToString(sum[:])[:hashDigits]
	words := strings.Trim(notPlain.ReplaceAllString("hcctl-"+strings.ToLower(s.Selector), "-"), "-")
	return strings.TrimRight(words[:min(len(words), maxBase-hashDigits-1)], "-") + "-" + hash
}
