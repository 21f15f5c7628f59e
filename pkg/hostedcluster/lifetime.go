package hostedcluster

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/hcctl/hcctl/internal/lazyregexp"
)

// The labels and annotations of a temporary HostedCluster, such as one of a test.
const (
	// OwnerLabel is the label with the owner of the cluster, such as a pipeline.
	OwnerLabel = "hcctl.dev/owner"
	// ExpiresAnnotation is the annotation with the expiry, after which the cluster may be deleted: an RFC 3339 time, or an
	// age after its creation.
	ExpiresAnnotation = "hcctl.dev/expires"
)

// ParseAge parses a positive duration, such as 90m, 24h or 7d. A day has 24 hours.
func ParseAge(text string) (time.Duration, error) {
	days, rest, both := strings.Cut(text, "d")
	if !both {
		days, rest = "0", text
	}
	n, err := strconv.ParseUint(days, 10, 16)
	age := time.Duration(n) * 24 * time.Hour
	if rest != "" && err == nil {
		var part time.Duration
		part, err = time.ParseDuration(rest)
		if part < 0 || part > math.MaxInt64-age {
			err = errors.New("out of range")
		}
		age += part
	}
	if err != nil || age <= 0 {
		return 0, errors.New("give an age above zero, such as 90m, 24h or 7d")
	}
	return age, nil
}

// ParseExpiry parses an expiry: an RFC 3339 time, or an age that is added to from.
func ParseExpiry(text string, from time.Time) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at.UTC(), nil
	}
	age, err := ParseAge(text)
	if err != nil {
		return time.Time{}, errors.New("give an age above zero, such as 90m, 24h or 7d, or a time like 2030-01-02T03:04:05Z")
	}
	return from.Add(age).UTC(), nil
}

// Expires returns the expiry of a HostedCluster, zero if it has none. It fails if the annotation cannot be parsed, or
// if the expiry is not after the creation.
func Expires(hc metav1.Object) (time.Time, error) {
	text, marked := hc.GetAnnotations()[ExpiresAnnotation]
	if !marked {
		return time.Time{}, nil
	}
	created := hc.GetCreationTimestamp().Time
	at, err := ParseExpiry(text, created)
	switch {
	case err != nil:
		return time.Time{}, fmt.Errorf("annotation %s: %w", ExpiresAnnotation, err)
	case created.IsZero() || !at.After(created):
		return time.Time{}, fmt.Errorf("annotation %s: it is not after the creation", ExpiresAnnotation)
	}
	return at, nil
}

// Expired reports whether the expiry of a HostedCluster has passed by all the clocks. It returns false without an
// expiry or with an invalid one.
func Expired(hc metav1.Object, clocks ...time.Time) bool {
	at, err := Expires(hc)
	if err != nil || at.IsZero() {
		return false
	}
	for _, now := range clocks {
		if !now.After(at) {
			return false
		}
	}
	return len(clocks) > 0
}

// ciVariables lists pairs of environment variables: the first is set by a CI system, the second has the name of the
// pipeline.
var ciVariables = []string{"GITLAB_CI CI_PROJECT_PATH", "GITHUB_ACTIONS GITHUB_REPOSITORY", "JENKINS_URL JOB_NAME",
	"PROW_JOB_ID JOB_NAME"}

// invalidLabelChars matches the characters that a label value must not contain.
var invalidLabelChars = lazyregexp.New(`[^A-Za-z0-9_.-]+`)

// OwnerFromCI returns the name of the CI pipeline that runs hcctl as a label value. It is empty if no CI system is
// found.
func OwnerFromCI(getenv func(string) string) string {
	if getenv == nil {
		return ""
	}
	for _, pair := range ciVariables {
		system, variable, _ := strings.Cut(pair, " ")
		if getenv(system) != "" && getenv(variable) != "" {
			return OwnerOf(getenv(variable))
		}
	}
	return ""
}

// OwnerOf converts a text to a label value. If characters are lost, it appends a hash of the text, so that two texts
// never get the same value.
func OwnerOf(text string) string {
	const hashDigits = 10
	plain := strings.ReplaceAll(text, "/", ".")
	if len(validation.IsValidLabelValue(plain)) == 0 && !strings.Contains(text, ".") {
		return plain
	}
	sum := sha256.Sum256([]byte(text))
	plain = invalidLabelChars.ReplaceAllString(plain, "-")
	plain = strings.Trim(plain[:min(len(plain), validation.LabelValueMaxLength-hashDigits-1)], "-_.")
	return strings.Trim(plain+"-"+hex.EncodeToString(sum[:])[:hashDigits], "-")
}
