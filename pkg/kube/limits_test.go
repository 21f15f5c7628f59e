package kube

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/hcctl/hcctl/pkg/kube/client"
	"github.com/hcctl/hcctl/pkg/kube/transport"
)

// However a server sends too much, and whatever it was asked for, it gets one clear error that names server and
// request, within the memory there is.
func TestWhatAServerMaySend(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		for how, handler := range hostile {
			for request, r := range requests {
				if http2 != ((len(how)+len(request))%2 > 0) {
					continue // each way and each request meets both
				}
				t.Run(fmt.Sprintf("%s, %s, HTTP/2 %v", how, request, http2), func(t *testing.T) {
					var asked atomic.Int32
					c := serve(t, http2, func(w http.ResponseWriter, r *http.Request) {
						asked.Add(1)
						handler(w, r)
					}, transport.GuestOf("clusters", "kv-00"), eighth())
					before := allocated()
					err := r.ask(t.Context(), c)
					var large *transport.TooLargeError
					if !errors.As(err, &large) {
						t.Fatalf("got %v", err)
					}
					server := "the API server of hosted cluster clusters/kv-00"
					if large.Server != server || !strings.Contains(large.What,
						r.what) || !large.Guest || large.Hint().String() == "" {
						t.Errorf("got %v", large)
					}
					if IsTransient(err) || IsAway(err) || !Unknown(err).Final {
						t.Errorf("%v is tried again", err)
					}
					// A list is asked for again with fewer objects, down to one.
					if n := asked.Load(); n > 8 {
						t.Errorf("asked %d times", n)
					}
					if took := allocated() - before; took > 40<<20 {
						t.Errorf("took %d MiB of memory in all", took>>20)
					}
				})
			}
		}
	}
}

// allocated is how many bytes were allocated since the program began.
func allocated() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.TotalAlloc
}

// A management cluster may send more than a guest.
func TestManagementMaySendMore(t *testing.T) {
	var asked []string
	c := serve(t, true, nodes(60, 200_000, &asked))
	var l corev1.NodeList
	if err := c.List(t.Context(), &l); err != nil || len(l.Items) != 60 || len(asked) != 1 {
		t.Errorf("%d objects, %v, asked for %v", len(l.Items), err, asked)
	}
}

const protobufForm = "application/vnd.kubernetes.protobuf"

// An error keeps its status, however long its body is.
func TestErrorsAreCut(t *testing.T) {
	for _, form := range []string{"application/json", "application/yaml", "text/plain", protobufForm} {
		c := serve(t, true, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", form)
			w.WriteHeader(http.StatusForbidden)
			endless(w, "aaaaaaaa")
		}, transport.GuestOf("clusters", "kv-00"))
		before := allocated()
		err := c.Get(t.Context(), client.ObjectKey{Name: "a"}, &corev1.Node{})
		if err == nil || statusOf(err) != metav1.StatusReasonForbidden || len(err.Error()) > 4<<10 {
			t.Errorf("%s: got %.100v", form, err)
		}
		if took := allocated() - before; took > 16<<20 {
			t.Errorf("%s: took %d kB", form, took>>10)
		}
	}
}

func statusOf(err error) metav1.StatusReason {
	var status interface{ Status() metav1.Status }
	if errors.As(err, &status) {
		return status.Status().Reason
	}
	return ""
}

// What was not asked for is not decoded: in YAML, CBOR and protobuf, few bytes may stand for much memory.
func TestOtherEncodingsAreRefused(t *testing.T) {
	for _, form := range []string{"application/yaml", "application/cbor", protobufForm, "Application/YAML; a=b"} {
		c := serve(t, true, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", form)
			_, _ = io.WriteString(w, "kind: Node\napiVersion: v1\n")
		}, transport.GuestOf("clusters", "kv-00"))
		if err := c.Get(t.Context(), client.ObjectKey{Name: "a"}, &corev1.Node{}); !transport.IsTooLarge(err) {
			t.Errorf("%s: got %v", form, err)
		}
	}
}

// Nobody waits for a year because a server says so.
func TestRetryAfterAYear(t *testing.T) {
	asked := 0
	c := serve(t, true, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Retry-After", "31536000")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	err := c.Get(ctx, client.ObjectKey{Name: "a"}, &corev1.Node{})
	if err == nil || ctx.Err() != nil || asked != 5 {
		t.Errorf("got %v, asked %d times", err, asked)
	}
}

// Headers are bounded, and so are answers before the answer.
func TestHeaders(t *testing.T) {
	for _, http2 := range []bool{false, true} {
		for name, write := range map[string]func(http.ResponseWriter){
			"a header of 4 MiB": func(w http.ResponseWriter) { w.Header().Set("A", strings.Repeat("x", 4<<20)) },
			"many warnings": func(w http.ResponseWriter) {
				for range 100_000 {
					w.Header().Add("Warning", `299 - "deprecated, deprecated, deprecated"`)
				}
			},
			"early hints without an end": func(w http.ResponseWriter) {
				w.Header().Set("Link", strings.Repeat("x", 100_000))
				for range 1000 {
					w.WriteHeader(http.StatusEarlyHints)
				}
			},
		} {
			t.Run(fmt.Sprintf("%s, HTTP/2 %v", name, http2), func(t *testing.T) {
				c := serve(t, http2, func(w http.ResponseWriter, _ *http.Request) {
					write(w)
					_, _ = io.WriteString(w, "{}")
				})
				before := allocated()
				if _, err := c.ServerVersion(t.Context()); err == nil {
					t.Error("it was taken")
				}
				if took := allocated() - before; took > 400<<20 {
					t.Errorf("took %d MiB", took>>20)
				}
			})
		}
	}
}
