package main

import (
	"encoding/json"
	"strconv"
	"sync"
	"time"
)

// sightings records the changes that hcctl get --watch -o json has printed.
type sightings struct {
	// begun is closed once each cluster was printed, and all once each change was printed.
	begun, all chan struct{}

	mu       sync.Mutex
	clusters int
	objects  int
	printed  int
	// times holds when each change was printed, or the zero time.
	times []time.Time
}

func newSightings(clusters, changes int) *sightings {
	return &sightings{begun: make(chan struct{}), all: make(chan struct{}), clusters: clusters,
		times: make([]time.Time, changes)}
}

// read reads objects until the end or an error.
func (s *sightings) read(objects *json.Decoder) error {
	for {
		var object struct {
			Metadata struct {
				Annotations map[string]string `json:"annotations"`
			} `json:"metadata"`
		}
		if err := objects.Decode(&object); err != nil {
			return err
		}
		s.saw(object.Metadata.Annotations[changeMark], time.Now())
	}
}

func (s *sightings) saw(mark string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.objects++; s.objects == s.clusters {
		close(s.begun)
	}
	i, err := strconv.Atoi(mark)
	if err != nil || i < 0 || i >= len(s.times) || !s.times[i].IsZero() {
		return
	}
	s.times[i] = at
	if s.printed++; s.printed == len(s.times) {
		close(s.all)
	}
}

func (s *sightings) listed() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.objects
}

// count returns the number of printed changes.
func (s *sightings) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.printed
}
