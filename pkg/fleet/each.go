package fleet

import (
	"context"
	"slices"

	"github.com/hcctl/hcctl/pkg/hostedcluster"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// Each is one change or one wait for many clusters.
type Each struct{ Members []Member }

// PrepareEach determines the steps for each cluster, at most parallel at the same time; prepare only reads. A
// problem of one cluster is in its Member; the error concerns all: HyperShift is not installed, or ctx has
// ended.
func PrepareEach(ctx context.Context, names []ClusterName, parallel int,
	prepare func(ClusterName) ([]step.Step, error)) (*Each, error) {
	members := make([]Member, len(names))
	kube.Parallelize(len(names), parallel, func(i int) {
		members[i] = Member{Namespace: names[i].Namespace, Name: names[i].Name}
		if members[i].steps, members[i].Err = prepare(names[i]); len(members[i].steps) == 0 && members[i].Err == nil {
			members[i].steps = []step.Step{{ID: "nothing", Title: "nothing to do", Check: nothingToDo}}
		}
	})
	return &Each{Members: members}, commonError(ctx, members)
}

func nothingToDo(context.Context, step.Reads) step.Finding { return step.OK("nothing to do") }

// TakeAbsent removes the members that do not exist, and returns their names.
func (e *Each) TakeAbsent() []ClusterName {
	var absent []ClusterName
	e.Members = slices.DeleteFunc(e.Members, func(m Member) bool {
		if !hostedcluster.IsNotFound(m.Err) {
			return false
		}
		absent = append(absent, ClusterName{m.Namespace, m.Name})
		return true
	})
	return absent
}

// Prepared returns the members that could be prepared.
func (e *Each) Prepared() []Member {
	var all []Member
	for _, m := range e.Members {
		if m.Err == nil {
			all = append(all, m)
		}
	}
	return all
}

// Steps returns the steps of all clusters.
func (e *Each) Steps() []step.Step { return stepsOf(e.Members) }
