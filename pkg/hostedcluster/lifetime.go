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

// The marks of a HostedCluster that is not meant to stay, such as one of a test.
const (
	// OwnerLabel says to whom it belongs, such as a pipeline.
	OwnerLabel = "hcctl.dev/owner"
	// ExpiresAnnotation says when it may be deleted: a time in RFC 3339, or how long after its creation.
	ExpiresAnnotation = "hcctl.dev/expires"
)

// ParseAge reads how long something lasts, such as 90m, 24h or 7d. A day has 24 hours.
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

// ParseExpiry reads an expiry: a time, or an age after from.
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

// Expires returns when the mark of a HostedCluster says that it may be deleted; zero without a mark. A mark that cannot
// be read, or is not after the creation, is an error.
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

// Expired reports whether the mark of a HostedCluster has passed by every clock. One without a mark, or with a wrong
// one, never expires.
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

// ciVariables name the pipeline that hcctl runs in, by the systems that set them.
var ciVariables = []string{"GITLAB_CI CI_PROJECT_PATH", "GITHUB_ACTIONS GITHUB_REPOSITORY", "JENKINS_URL JOB_NAME",
	"PROW_JOB_ID JOB_NAME"}

// notOfALabel is what the value of a label cannot have.
var notOfALabel = lazyregexp.New(`[^A-Za-z0-9_.-]+`)

// OwnerFromCI returns the pipeline that hcctl runs in as an owner; empty where no CI system says it.
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

// OwnerOf makes the value of a label. What is changed ends with a hash of the whole, so that no two are the same.
func OwnerOf(text string) string {
	const hashDigits = 10
	plain := strings.ReplaceAll(text, "/", ".")
	if len(validation.IsValidLabelValue(plain)) == 0 && !strings.Contains(text, ".") {
		return plain
	}
	sum := sha256.Sum256([]byte(text))
	plain = notOfALabel.ReplaceAllString(plain, "-")
	plain = strings.Trim(plain[:min(len(plain), validation.LabelValueMaxLength-hashDigits-1)], "-_.")
	return strings.Trim(plain+"-"+hex.EncodeToString(sum[:])[:hashDigits], "-")
}
