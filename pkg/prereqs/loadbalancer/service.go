package loadbalancer

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/hcctl/hcctl/internal/hint"
	"github.com/hcctl/hcctl/pkg/kube"
	"github.com/hcctl/hcctl/pkg/kube/access"
	"github.com/hcctl/hcctl/pkg/prereqs/internal/addresses"
	"github.com/hcctl/hcctl/pkg/prereqs/prereq"
	"github.com/hcctl/hcctl/pkg/step"
)

// Service is the prerequisite of this file. It replaces all others if MetalLB is not used.
const Service step.ID = "load-balancer/service"

// serviceGrace is how long a load balancer may take to assign an address before that counts as a failure.
const serviceGrace = 2 * time.Minute

// loadBalancerService checks that Services of type LoadBalancer get addresses. That proves an unknown load balancer
// without a test Service.
type loadBalancerService struct {
	mode Mode
}

func (s loadBalancerService) prerequisite() prereq.Prerequisite {
	return prereq.Prerequisite{
		ID: Service, Title: "load balancer", Severity: step.Advisory,
		Check:  s.check,
		Rights: prereq.Rights{Check: []access.Rule{addresses.List("services")}},
	}
}

func (s loadBalancerService) check(ctx context.Context, r kube.Reader) step.Finding {
	if s.mode == ModeNone {
		return step.Finding{State: step.StateSkipped,
			Message: fmt.Sprintf("no load balancer, as %s none says: the services of hosted clusters, API servers "+
				"included, have "+
				"to be published by NodePort or Route", hint.Flag("load-balancer"))}
	}
	list := &corev1.ServiceList{}
	if err := r.List(ctx, list); err != nil {
		return kube.Unknown(err).On("Services")
	}
	return judgeServices(list.Items, r.Now())
}

func judgeServices(services []corev1.Service, now time.Time) step.Finding {
	var waiting *corev1.Service
	all := 0
	for i := range services {
		service := &services[i]
		if service.Spec.Type != corev1.ServiceTypeLoadBalancer || service.DeletionTimestamp != nil {
			continue
		}
		all++
		if address := kube.LoadBalancerAddress(service); address != "" {
			return step.OK("the existing load balancer gave it %s", address).On("Service %s", kube.Name(service))
		}
		if now.Sub(service.CreationTimestamp.Time) > serviceGrace {
			waiting = service
		}
	}
	if waiting != nil {
		return step.Missing("it is of type LoadBalancer and has got no address in %d minutes; neither has any of the %d "+
			"there are", int(now.Sub(waiting.CreationTimestamp.Time).Minutes()), all).
			On("Service %s", kube.Name(waiting)).WithHint("oc describe service %s -n %s", waiting.Name, waiting.Namespace)
	}
	return step.Unknown("whether a load balancer assigns addresses is not known: there is no Service of type " +
		"LoadBalancer").On("Services").
		WithHint("oc create service loadbalancer try --tcp=443 -n default, then see oc get service try -n default whether " +
			"it gets an EXTERNAL-IP, and delete it")
}
