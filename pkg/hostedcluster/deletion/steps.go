package deletion

import "github.com/hcctl/hcctl/pkg/step"

// Steps returns the steps that delete the cluster, in the order that its operators need.
func (d *Plan) Steps() []step.Step {
	steps := []step.Step{{
		ID: cleanupStep, Title: "volumes and load balancers go with the cluster", Group: deleteGroup,
		Check: d.client.Reading(d.cleanupRequested), Apply: d.requestCleanup,
	}}
	before := []step.ID{cleanupStep}
	if !d.options.KeepManagedCluster {
		steps = append(steps, step.Step{
			ID:    detachStep,
			Title: "ManagedCluster detached",
			Group: deleteGroup,
			Needs: before,
			Check: d.client.Reading(d.detachedFirst),
			Apply: d.detach,
		})
		before = []step.ID{detachStep}
	}
	if d.options.KeepSecrets {
		steps = append(steps, step.Step{
			ID: secretsKeptStep, Title: "its Secrets stay", Group: deleteGroup,
			Check: d.client.Reading(d.secretsStay), Apply: d.keepSecrets,
		})
		before = append(before, secretsKeptStep)
	}
	steps = append(steps, step.Step{
		ID:    hostedClusterGoneStep,
		Title: "HostedCluster gone",
		Group: deleteGroup,
		Needs: before,
		Check: d.client.Reading(d.hostedClusterGone),
		Apply: d.deleteHostedCluster,
	})
	if d.options.NoWait {
		steps[len(steps)-1].Title = "HostedCluster being deleted"
		return steps
	}
	return append(steps, d.rest()...)
}

// rest returns the steps after the HostedCluster's deletion.
func (d *Plan) rest() []step.Step {
	steps := []step.Step{
		{
			ID: nodePoolsGoneStep, Title: "NodePools gone", Group: deleteGroup, Needs: []step.ID{hostedClusterGoneStep},
			Check: d.client.Reading(d.nodePoolsGone), Apply: d.deleteNodePools,
		},
		{
			ID: controlPlaneGoneStep, Title: "control plane gone", Group: deleteGroup, Needs: []step.ID{nodePoolsGoneStep},
			Check: d.client.Reading(d.controlPlaneGone), Apply: d.deleteControlPlane,
		},
		{
			ID: volumesGoneStep, Title: "its volumes gone", Group: deleteGroup, Needs: []step.ID{controlPlaneGoneStep},
			Check: d.client.Reading(d.volumesGone),
		},
		{
			ID: createdGoneStep, Title: "what hcctl made for it gone", Group: deleteGroup,
			Needs: []step.ID{controlPlaneGoneStep}, Check: d.client.Reading(d.createdGone), Apply: d.deleteCreated,
		},
	}
	if d.adopted {
		restored := d.adoptedRestoredStep()
		restored.Needs = []step.ID{controlPlaneGoneStep}
		steps = append(steps, restored)
	}
	if d.hasServices {
		// The services use addresses of the pool that createdGoneStep removes, so they are removed first.
		made := &steps[len(steps)-1]
		made.Needs = append(made.Needs, servicesGoneStep)
		steps = append(steps, step.Step{
			ID: servicesGoneStep, Title: "its services gone", Group: deleteGroup, Needs: []step.ID{hostedClusterGoneStep},
			Check: d.client.Reading(d.servicesGone), Apply: d.deleteServices,
		})
	}
	last := []step.ID{controlPlaneGoneStep, createdGoneStep}
	before := []step.ID{controlPlaneGoneStep, createdGoneStep}
	if d.adopted { // a later run needs the Secrets to find it again
		before, last = append(before, adoptedStep), append(last, adoptedStep)
	}
	if d.hasAddressPool {
		steps = append(steps, step.Step{
			ID:    poolsReleasedStep,
			Title: "address pool serves it no more",
			Group: deleteGroup,
			Needs: []step.ID{controlPlaneGoneStep, createdGoneStep},
			Check: d.client.Reading(d.poolsReleased),
			Apply: d.releasePools,
		})
		before = append(before, poolsReleasedStep)
	}
	// The Secrets are removed last: a later run reads the InfraID from them if nothing else remains.
	if !d.options.KeepSecrets {
		steps = append(steps, step.Step{
			ID: secretsGoneStep, Title: "its Secrets and CA bundle gone", Group: deleteGroup, Needs: before,
			Check: d.client.Reading(d.secretsGone), Apply: d.deleteSecrets,
		})
		last = append(last, secretsGoneStep)
	}
	if !d.options.KeepManagedCluster {
		// The addon runs once a minute, so a running import may have finished after the detaching.
		steps = append(steps, step.Step{
			ID:    notImportedStep,
			Title: "not imported again",
			Group: deleteGroup,
			Needs: []step.ID{hostedClusterGoneStep},
			Check: d.client.Reading(d.detached),
			Apply: d.detach,
		})
		last = append(last, notImportedStep)
	}
	if !d.options.KeepNamespace && !d.options.KeepSecrets {
		steps = append(steps, step.Step{
			ID:    emptyNamespaceStep,
			Title: "its namespace, if empty",
			Group: deleteGroup,
			Needs: last,
			Check: d.client.Reading(d.namespaceSettled),
			Apply: d.deleteNamespace,
		})
	}
	if d.infra != nil {
		steps = append(steps, step.Step{
			ID: infraGoneStep, Title: "its VMs on the infrastructure cluster gone", Group: deleteGroup,
			Needs: []step.ID{nodePoolsGoneStep}, Check: d.client.Reading(d.infra.gone),
		})
	}
	for i := range steps {
		d.unlessReplaced(&steps[i])
	}
	return steps
}
