package kube

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"syscall"
	"testing"
	"time"
)

// handshake is Go's error for a server that takes a connection and says nothing.
type handshake struct{}

func (handshake) Error() string   { return "net/http: TLS handshake timeout" }
func (handshake) Timeout() bool   { return true }
func (handshake) Temporary() bool { return true }

// TestExplainSaysWhyNoAnswerCame in words of its own, not Go's.
func TestExplainSaysWhyNoAnswerCame(t *testing.T) {
	ended, cancel := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer cancel()
	for want, err := range map[string]error{
		"no answer in time":                             ended.Err(),
		"it takes the connection and then says nothing": handshake{},
		"connection refused":                            syscall.ECONNREFUSED,
	} {
		said := Explain(&url.Error{Op: "Get", URL: "https://api.example.com:6443/version", Err: err})
		if said != "the API server at https://api.example.com:6443 does not answer: "+want {
			t.Errorf("%v: %s", err, said)
		}
	}
	if said := Explain(errors.Join(ended.Err())); strings.Contains(said, "deadline") {
		t.Error(said)
	}
}
