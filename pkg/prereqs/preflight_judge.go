package prereqs

import (
	"context"
	"fmt"

	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/step"
)

// judgeRoom is about one hosted cluster that is about to be created, or several that are alike.
func judgeRoom(w Wanted, rooms []room, existing, most int64) step.Finding {
	clusters := max(1, w.Clusters)
	switch {
	case clusters > 1 && existing+clusters > most:
		return step.NotThere("%d hosted clusters are there and %d are to come, and the hypershift addon counts %d as full", existing, clusters, most).
			On("AddOnDeploymentConfig %s", addonConfigName).WithHint("%s", moreRoom("addon", 0))
	case existing >= most:
		return step.NotThere("%d hosted clusters are there, and the hypershift addon counts %d as full", existing, most).On("AddOnDeploymentConfig %s", addonConfigName).
			WithHint("%s", moreRoom("addon", 0))
	}
	plane, copies := w.plane()
	n, scarcest := fitting(rooms, plane, w.machines(), copies)
	var free amount
	for _, r := range rooms {
		free = free.plus(r.free())
	}
	one := plane.plus(w.machines())
	told := fmt.Sprintf("it requests CPU %s, memory %s and %d pods (control plane and %d workers); free on %s, by requests: CPU %s, memory %s, %d pods",
		cores(one.cpu), gibs(one.memory), one.pods, w.Workers, countWorkers(len(rooms)), cores(free.cpu), gibs(free.memory), free.pods)
	if clusters > 1 {
		told = fmt.Sprintf("of %d clusters, each with about %d workers, %d fit: each requests about CPU %s, memory %s and %d pods; free on %s, by requests: CPU %s, memory %s, %d pods",
			clusters, w.Workers, n, cores(one.cpu), gibs(one.memory), one.pods, countWorkers(len(rooms)), cores(free.cpu), gibs(free.memory), free.pods)
	}
	if n >= clusters {
		return step.Okay("%s", told).On("Nodes")
	}
	if scarcest == "nodes" {
		told += fmt.Sprintf("; its control plane takes a third of what it requests on each of %d nodes", copies)
	}
	return step.NotThere("no room: %s", told).On("Nodes").WithHint("%s", moreRoom(scarcest, 1))
}

// checkOwn looks at a pull secret that was given: the form has been judged before.
func (s pullSecret) checkOwn(ctx context.Context) step.Finding {
	const object = "--pull-secret"
	registries, err := readPullSecret(s.own)
	if err != nil {
		return step.Stuck("%v", err).On(object)
	}
	d, err := readDisconnection(ctx, s.c)
	if err != nil {
		return kube.Unread(err)
	}
	switch needed := neededRegistries(registries, d); {
	case len(needed.lacking) > 0 && d.catalogsOff:
		return step.Okay("credentials for %s; none for the mirror %s, which is right if it needs none", listed(registries), listed(needed.lacking)).On(object)
	case len(needed.lacking) > 0:
		return step.NotThere("no credentials for %s, which hosted clusters pull from (it has them for %s)", listed(needed.lacking), listed(registries)).On(object).
			WithHint("a pull secret of console.redhat.com has all that is needed")
	}
	return step.Okay("credentials for %s", listed(registries)).On(object)
}
