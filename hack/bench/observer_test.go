package main

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestTheChangeAStepEndedBy(t *testing.T) {
	second := func(n float64) time.Time { return time.Unix(0, int64(n*float64(time.Second))) }
	o := &observer{changes: map[string][]time.Time{}}
	for _, at := range []float64{1, 5, 9.9, 20.1, 30} {
		o.saw("Thing", &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "a"}}, second(at))
	}
	for name, tc := range map[string]struct {
		object       string
		began, ended float64
		want         float64
	}{
		"the last one before":         {"Thing ns/a", 2, 10, 9.9},
		"any of the kind":             {"Things", 2, 10, 9.9},
		"told of later than hcctl":    {"Thing ns/a", 2, 20, 20},
		"long after the end":          {"Thing ns/a", 6, 28, 20.1},
		"none while it was under way": {"Thing ns/a", 10, 12, 0},
		"another object":              {"Thing ns/b", 0, 40, 0},
	} {
		t.Run(name, func(t *testing.T) {
			at, ok := o.changed(tc.object, second(tc.began), second(tc.ended))
			if ok != (tc.want != 0) || ok && !at.Equal(second(tc.want)) {
				t.Errorf("got %v, %t; want %v", at.Sub(second(0)), ok, tc.want)
			}
		})
	}
}
