package diagnosis

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/hcctl/hcctl/internal/faultproxy"
)

// diagnosis is a symptom, made of objects on both clusters, and what hcctl has to say of it.
type diagnosis struct {
	// Symptom is what a user meets; Finding where it was reported.
	Symptom, Finding string
	side
	// Hosted is what is written to the hosted cluster.
	Hosted side
	// API is what the hosted API server does: "refuses", "answers 503", "is expired", or a token that it does not know.
	API string
	// Run are the commands, which have to say the cause in their last; status of the cluster is the default.
	Run []string
	// Want are what the first line has to have, Lacks what no line may have, Also what stands elsewhere.
	Want, Lacks, Also []string
	// Exit is the last command's exit code.
	Exit int
}

// side is what one cluster has.
type side struct {
	Objects []object
	Events  []event
	// Gone are objects that are not there, as "Kind [namespace/]name".
	Gone []string
}

// event is a Warning.
type event struct {
	// Of is "Kind [namespace/]name".
	Of, Reason, Message string
	Count               int
	// Ago is its age; 12m30s is the default.
	Ago string
}

func (e event) object(i int) object {
	kind, n, _ := strings.Cut(e.Of, " ")
	ns, bare, found := strings.Cut(n, "/")
	if !found {
		ns, bare = inside, n
	}
	ago := "ago " + e.Ago
	if e.Ago == "" {
		ago = "ago 12m30s"
	}
	version, _, _ := strings.Cut(kinds[kind], " ")
	return object{"kind": "Event", "name": fmt.Sprintf("%s.%d", bare, i), "namespace": ns, "type": "Warning",
		"reason": e.Reason, "message": e.Message, "count": max(1, e.Count), "firstTimestamp": "ago 1h", "lastTimestamp": ago,
		"involvedObject": object{"apiVersion": version, "kind": kind, "namespace": ns, "name": bare}}
}

// readCases reads the cases, in the order of the files and in theirs.
func readCases(t *testing.T) []diagnosis {
	t.Helper()
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	var all []diagnosis
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var some []diagnosis
		if err := yaml.UnmarshalStrict(text, &some); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, some...)
	}
	return all
}

// make brings the world into the state of the case.
func (w *world) make(ctx context.Context, d *diagnosis) error {
	w.answer(d.API)
	for _, on := range []struct {
		*cluster
		side
	}{{w.management, d.side}, {w.hosted, d.Hosted}} {
		for _, what := range on.Gone {
			if err := on.drop(ctx, what); err != nil {
				return fmt.Errorf("%s: %w", what, err)
			}
		}
		for _, o := range on.Objects {
			if err := on.write(ctx, o, &on.undo); err != nil {
				return err
			}
		}
		for i, e := range on.Events {
			if err := on.write(ctx, e.object(i), &on.undo); err != nil {
				return err
			}
		}
	}
	return nil
}

// back makes the world what it was.
func (w *world) back(ctx context.Context) error {
	w.answer("")
	return errors.Join(w.management.revert(ctx), w.hosted.revert(ctx))
}

// answer has the hosted API server answer in some way; "" as it does.
func (w *world) answer(how string) {
	w.guest.Accept(w.guest.Token)
	pass(w.guest)
	switch how {
	case "answers 401":
		w.guest.Accept("another")
	case "answers 403":
		w.guest.Use(func(int, *http.Request) faultproxy.Fault {
			return faultproxy.Refuse(http.StatusForbidden, "Forbidden", `nodes is forbidden: User "system:admin" cannot `+
				`list resource "nodes" in API group "" at the cluster scope`, 0)
		})
	case "answers 503":
		w.guest.Use(func(int, *http.Request) faultproxy.Fault {
			return faultproxy.Answer(http.StatusServiceUnavailable, map[string]string{"Content-Type": "text/html"},
				"<html><body><h1>503 Service Unavailable</h1>\nNo server is available to handle this request.\n</body></html>\n")
		})
	case "does not answer":
		w.guest.Use(func(int, *http.Request) faultproxy.Fault { return faultproxy.Hang() })
	case "breaks off":
		w.guest.Use(func(int, *http.Request) faultproxy.Fault { return faultproxy.DropBefore() })
	}
}
