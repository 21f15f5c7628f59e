package fuzztest

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// TellsOneLine fails if an error is empty or has more than one line in a terminal.
func TellsOneLine(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	for _, line := range eachOf(err) {
		if s := line.Error(); strings.TrimSpace(s) == "" || strings.ContainsAny(s, "\n\r\x1b") {
			t.Fatalf("want one line: %q", s)
		}
	}
}

// eachOf returns the joined errors one by one.
func eachOf(err error) []error {
	var many interface{ Unwrap() []error }
	if !errors.As(err, &many) {
		return []error{err}
	}
	var out []error
	for _, one := range many.Unwrap() {
		out = append(out, eachOf(one)...)
	}
	return out
}

// Again fails unless parse reads the printed value as the same value.
func Again[T any](t *testing.T, parse func(string) (T, error), first T, printed string) {
	t.Helper()
	second, err := parse(printed)
	if err != nil || !reflect.DeepEqual(first, second) {
		t.Fatalf("%+v printed as %q reads as %+v, %v", first, printed, second, err)
	}
}
