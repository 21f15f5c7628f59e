package hypershift

import (
	"context"
	"fmt"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	configv1 "github.com/openshift/api/config/v1"
	hyperv1 "github.com/openshift/hypershift/api/hypershift/v1beta1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The update service this sandbox plays: it knows the releases that ClusterImageSets name and, for each minor the operator
// can create, some patches. A release leads to every newer one of its own minor and of the next, as far as the channel goes.

// publishedPatches of each minor are known to the update service, whether a ClusterImageSet names them or not.
var publishedPatches = []int{3, 6, 9}

// riskyPatch of each minor is one the update service does not recommend.
const riskyPatch = 6

// Guess: the risk. Real ones are of this form: a name, a page, a message, and rules that decide for which clusters they hold.
const (
	riskName    = "GuestNetworkInterruption"
	riskURL     = "https://issues.redhat.com/browse/OCPBUGS-0"
	riskMessage = "Nodes that are virtual machines may lose the network for some seconds while they join a cluster of this release."
	riskReason  = riskName
)

var channelName = regexp.MustCompile(`^(stable|fast|candidate|eus)-4\.(\d+)$`)

// updates are what the update service answers.
type updates struct {
	// problem is why there is no answer, problemReason in a word; "" if there is one.
	problemReason, problem string
	available              []configv1.Release
	conditional            []configv1.ConditionalUpdate
	channels               []string
}

// catalog remembers what the update service knows for a while: each control plane asks each time it is looked at.
type catalog struct {
	mu     sync.Mutex
	asked  map[hyperv1.PayloadArchType]time.Time
	answer map[hyperv1.PayloadArchType][]release
}

const catalogLasts = 5 * time.Second

// knownReleases are all releases of the update service for an architecture, oldest first.
func (r *controlPlanes) knownReleases(ctx context.Context, arch hyperv1.PayloadArchType) ([]release, error) {
	r.catalog.mu.Lock()
	defer r.catalog.mu.Unlock()
	if time.Since(r.catalog.asked[arch]) < catalogLasts {
		return r.catalog.answer[arch], nil
	}
	list, err := r.listReleases(ctx, arch)
	if err != nil {
		return nil, err
	}
	if r.catalog.asked == nil {
		r.catalog.asked, r.catalog.answer = map[hyperv1.PayloadArchType]time.Time{}, map[hyperv1.PayloadArchType][]release{}
	}
	r.catalog.asked[arch], r.catalog.answer[arch] = time.Now(), list
	return list, nil
}

func (r *controlPlanes) listReleases(ctx context.Context, arch hyperv1.PayloadArchType) ([]release, error) {
	images := []string{r.Profile.ReleaseImage}
	suffix := "x86_64"
	if arch == hyperv1.Multi {
		suffix = "multi"
	}
	sets := &unstructured.UnstructuredList{}
	sets.SetGroupVersionKind(schema.GroupVersionKind{Group: "hive.openshift.io", Version: "v1", Kind: "ClusterImageSetList"})
	if err := r.Client.List(ctx, sets); err != nil && !meta.IsNoMatchError(err) {
		return nil, fmt.Errorf("list ClusterImageSets: %w", err)
	}
	for i := range sets.Items {
		if image, _, err := unstructured.NestedString(sets.Items[i].Object, "spec", "releaseImage"); err == nil {
			images = append(images, image)
		}
	}
	for _, minor := range r.gen.versions {
		for _, patch := range publishedPatches {
			images = append(images, fmt.Sprintf("%s:%s.%d-%s", releaseRepository, minor, patch, suffix))
		}
	}
	known := map[string]release{}
	for _, image := range images {
		if payload, err := r.registry().lookup(image); err == nil && payload.Arch == arch && known[payload.Version].Image == "" {
			known[payload.Version] = payload
		}
	}
	list := make([]release, 0, len(known))
	for _, payload := range known {
		list = append(list, payload)
	}
	sort.Slice(list, func(i, j int) bool { return newer(list[j].Version, list[i].Version) })
	return list, nil
}

// updatesFrom answers for a cluster at a version that follows a channel.
func updatesFrom(known []release, version, channel string) updates {
	m := channelName.FindStringSubmatch(channel)
	if channel == "" {
		return updates{problemReason: "NoChannel", problem: "The update channel has not been configured."}
	}
	ceiling := -1
	if m != nil {
		ceiling, _ = strconv.Atoi(m[2]) // digits only, says the expression
	}
	if ceiling < minorOf(version) || ceiling > minorOf(version)+1 {
		return updates{problemReason: "VersionNotFound", problem: fmt.Sprintf(
			"Unable to retrieve available updates: currently reconciling cluster version %s not found in the %q channel", version, channel)}
	}
	u := updates{available: []configv1.Release{}}
	for minor := minorOf(version); minor <= minorOf(version)+1; minor++ {
		for _, kind := range []string{"candidate", "fast", "stable"} {
			u.channels = append(u.channels, fmt.Sprintf("%s-4.%d", kind, minor))
		}
	}
	for i := len(known) - 1; i >= 0; i-- { // the newest first, as the real list comes
		to := known[i]
		if !newer(to.Version, version) || minorOf(to.Version) > ceiling || strings.Contains(to.Version, "-") && m[1] != "candidate" {
			continue
		}
		target := configv1.Release{
			Version: to.Version, Image: to.Image, Channels: u.channels,
			URL: configv1.URL("https://access.redhat.com/errata/RHSA-2025:" + shortNumber(to.Version)),
		}
		if patchOf(to.Version) == riskyPatch {
			u.conditional = append(u.conditional, riskOf(target))
			continue
		}
		u.available = append(u.available, target)
	}
	return u
}

func riskOf(target configv1.Release) configv1.ConditionalUpdate {
	return configv1.ConditionalUpdate{
		Release: target,
		Risks: []configv1.ConditionalUpdateRisk{{
			Name: riskName, URL: riskURL, Message: riskMessage, MatchingRules: []configv1.ClusterCondition{{Type: "Always"}},
		}},
		Conditions: []metav1.Condition{{
			Type: "Recommended", Status: metav1.ConditionFalse, Reason: riskReason, Message: riskMessage + " " + riskURL,
			// A time that does not move: the risk holds for every cluster, and always did.
			LastTransitionTime: metav1.Unix(1735689600, 0),
		}},
	}
}

// shortNumber is a number of an erratum. Guess: any four digits do.
func shortNumber(version string) string {
	return fmt.Sprintf("%d%02d", 10+minorOf(version), patchOf(version))
}
