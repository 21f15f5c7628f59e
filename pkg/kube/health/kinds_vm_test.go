package health_test

import "strings"

// drained is the message of a drain that a PodDisruptionBudget holds, as Cluster API 1.10 writes it.
const drained = `Drain not completed yet (started at 2026-11-20T09:30:00Z):\n* Pod shop/db-0: cannot evict pod as it would ` +
	`violate the pod's disruption budget. The disruption budget db needs 1 healthy pods and has 1 currently`

func machines() map[string]verdict {
	machine := func(status string, list ...string) string {
		return of("cluster.x-k8s.io/v1beta1", "Machine", conditions(status, list...))
	}
	kubevirtMachine := func(list ...string) string {
		return of("infrastructure.cluster.x-k8s.io/v1alpha1", "KubevirtMachine", conditions("", list...))
	}
	const wanted = "Waiting for a node with matching ProviderID to exist"
	// severe is a condition of Cluster API with a severity.
	severe := func(severity, c string) string {
		return strings.Replace(c, "reason:", "severity: "+severity+", reason:", 1)
	}
	leaving := func(list ...string) string {
		return strings.Replace(machine("phase: Deleting, ", list...), "metadata: {",
			`metadata: {deletionTimestamp: "2026-11-20T09:30:00Z", finalizers: [machine.cluster.x-k8s.io], `, 1)
	}
	set := func(kind, spec, status string, list ...string) string {
		return of("cluster.x-k8s.io/v1beta1", kind, "spec: {"+spec+"}, "+conditions(status, list...))
	}
	// newer is an object of Cluster API without the conditions of v1beta1.
	newer := func(kind, status string, list ...string) string {
		return strings.Replace(set(kind, "replicas: 1", status, list...), "v1beta1", "v1beta2", 1)
	}
	const awaited = "Waiting for a Node with spec.providerID kubevirt://x to exist"
	ready, healthy := condition("Ready", "True", "", ""), condition("NodeHealthy", "True", "", "")
	summary := condition("Ready", "False", "WaitingForInfrastructure", "1 of 2 completed")
	return map[string]verdict{
		"with a node": {object: machine("phase: Running, ", ready, healthy), grade: "ok", since: "10:01"},
		"no VM yet": {object: machine("phase: Provisioning, ", summary, severe("Info", condition("InfrastructureReady", "False",
			"WaitingForInfrastructure", "waiting"))), grade: "pending", since: "10:01",
			says: "InfrastructureReady False (WaitingForInfrastructure): waiting"},
		"no image": {object: machine("phase: Provisioning, ", summary, severe("Info", condition("InfrastructureReady", "False",
			"DVImagePullFailed", "cannot pull quay.example.com/x"))), grade: "failing", since: "10:01",
			says: "InfrastructureReady False (DVImagePullFailed): cannot pull quay.example.com/x"},
		"no node yet": {object: machine("phase: Provisioned, ", summary, condition("InfrastructureReady", "True", "", ""),
			severe("Warning", condition("NodeHealthy", "False", "NodeProvisioning", wanted))), grade: "pending", since: "10:01",
			says: "NodeHealthy False (NodeProvisioning): Waiting for a node"},
		"no node for long": {object: machine("phase: Provisioned, ", severe("Warning", strings.Replace(condition("NodeHealthy", "False",
			"NodeProvisioning", wanted), "10:01", "09:01", 1))), grade: "failing", says: "NodeProvisioning", since: "09:01"},
		"provider's, no room": {object: kubevirtMachine(severe("Info", condition("VMProvisioned", "False", "Unschedulable",
			"0/3 nodes are available: 3 Insufficient memory."))), grade: "failing", since: "10:01",
			says: "VMProvisioned False (Unschedulable): 0/3 nodes are available"},
		"provider's, starting": {object: kubevirtMachine(severe("Info", condition("VMProvisioned", "False", "VMNotReady",
			"VM is not ready: Starting"))), grade: "pending", says: "VMNotReady", since: "10:01"},
		"provider's, up": {object: kubevirtMachine(condition("VMProvisioned", "True", "", ""), ready), grade: "ok", since: "10:01"},
		"unhealthy node": {object: machine("phase: Running, ", summary, severe("Warning", condition("NodeHealthy", "False",
			"NodeConditionsFailed", "Node condition MemoryPressure is True"))), grade: "failing", since: "10:01",
			says: "MemoryPressure is True"},
		"failed": {object: machine("phase: Failed, failureReason: CreateError, failureMessage: no such template, "), grade: "broken",
			says: "it has failed (CreateError): no such template"},
		"no image, says Cluster API's v1beta2": {object: strings.Replace(machine("phase: Provisioning, deprecated: {v1beta1: {conditions: ["+
			severe("Info", condition("InfrastructureReady", "False", "DVImagePullFailed", "cannot pull quay.example.com/x"))+"]}}, ",
			condition("Ready", "False", "NotReady", "* InfrastructureReady: cannot pull")), "v1beta1", "v1beta2", 1), grade: "failing",
			since: "10:01", says: "InfrastructureReady False (DVImagePullFailed): cannot pull quay.example.com/x"},
		"failed, says its v1beta2": {object: strings.Replace(machine("phase: Failed, deprecated: {v1beta1: {failureReason: CreateError, "+
			"failureMessage: no such template}}, "), "v1beta1", "v1beta2", 1), grade: "broken",
			says: "it has failed (CreateError): no such template"},
		"v1beta2 alone, no image": {object: newer("Machine", "phase: Provisioning, ", condition("Ready", "False", "NotReady",
			"* InfrastructureReady: cannot pull"), condition("BootstrapConfigReady", "True", "Ready", ""), condition("NodeHealthy",
			"Unknown", "InspectionFailed", "Waiting for KubevirtMachine to report spec.providerID"), condition("InfrastructureReady",
			"False", "DVImagePullFailed", "cannot pull")), grade: "failing", since: "10:01",
			says: "InfrastructureReady False (DVImagePullFailed): cannot pull"},
		"v1beta2 alone, no configuration": {object: newer("Machine", "phase: Pending, ", condition("BootstrapConfigReady", "False",
			"ObjectDeleted", "Secret has been deleted"), condition("InfrastructureReady", "False", "NotReady", "")), grade: "failing",
			since: "10:01", says: "BootstrapConfigReady False (ObjectDeleted): Secret has been deleted"},
		"v1beta2 alone, no node yet": {object: newer("Machine", "phase: Provisioned, ", condition("InfrastructureReady", "True", "Ready",
			""), condition("NodeHealthy", "Unknown", "InspectionFailed", awaited)), grade: "pending", since: "10:01", says: awaited},
		"v1beta2 alone, no node for long": {object: newer("Machine", "phase: Provisioned, ", strings.Replace(condition("NodeHealthy",
			"Unknown", "InspectionFailed", awaited), "10:01", "09:01", 1)), grade: "failing", since: "09:01", says: awaited},
		"v1beta2 alone, unhealthy node": {object: newer("Machine", "phase: Running, ", condition("NodeHealthy", "False",
			"NodeNotHealthy", "* Node.MemoryPressure: kubelet has insufficient memory")), grade: "failing", since: "10:01",
			says: "NodeHealthy False (NodeNotHealthy): * Node.MemoryPressure"},
		"v1beta2 alone, its node is gone": {object: newer("Machine", "phase: Running, ", condition("NodeHealthy", "False",
			"NodeDeleted", "Node worker-1 has been deleted")), grade: "failing", since: "10:01", says: "NodeDeleted"},
		"v1beta2 alone, with a node": {object: newer("Machine", "phase: Running, ", condition("Available", "True", "Available", ""),
			ready, condition("BootstrapConfigReady", "True", "Ready", ""), condition("InfrastructureReady", "True", "Ready", ""),
			condition("NodeReady", "True", "NodeReady", ""), healthy, condition("Deleting", "False", "NotDeleting", ""),
			condition("UpToDate", "True", "UpToDate", "")), grade: "ok", since: "10:01"},
		"new": {object: machine(""), grade: "pending", says: "it has no node yet: phase not set"},
		"a drain that a budget holds": {object: leaving(severe("Info", condition("DrainingSucceeded", "False", "Draining",
			drained))), grade: "failing", since: "10:01", says: "it is being deleted and waits for the drain of its node: Pod shop/db-0: " +
			"cannot evict pod as it would violate the pod's disruption budget. The disruption budget db needs 1 healthy pods"},
		"volumes attached": {object: leaving(condition("DrainingSucceeded", "True", "", ""), condition("VolumeDetachSucceeded",
			"False", "WaitingForVolumeDetach", "Waiting for node volumes to be detached")), grade: "pending", since: "10:01",
			says: "waits for its volumes, which are still attached"},
		"drained for half an hour": {object: strings.Replace(leaving(condition("DrainingSucceeded", "False", "Draining",
			"Drain not completed yet")), "10:01", "09:33", 1), grade: "pending", since: "09:33", says: "the drain of its node"},
		"drained for hours": {object: strings.Replace(leaving(condition("DrainingSucceeded", "False", "Draining",
			"Drain not completed yet")), "10:01", "08:01", 1), grade: "failing", since: "08:01", says: "the drain of its node"},
		"volumes attached for long": {object: strings.Replace(leaving(condition("VolumeDetachSucceeded", "False",
			"WaitingForVolumeDetach", "")), "10:01", "09:01", 1), grade: "failing", since: "09:01",
			says: "waits for its volumes, which are still attached"},
		"a drain, says a newer Cluster API": {object: leaving(condition("Deleting", "True", "DrainingNode", drained)), grade: "failing",
			says: "Deleting True (DrainingNode): Drain not completed yet", since: "10:01"},
		"being deleted": {object: leaving(), grade: "pending", says: "it is being deleted", since: "09:30"},

		"set, as many as wanted": {object: set("MachineSet", "replicas: 2", "replicas: 2, readyReplicas: 2, availableReplicas: 2, "),
			grade: "ok"},
		"set, one is late": {object: set("MachineSet", "replicas: 2", "replicas: 2, readyReplicas: 1, availableReplicas: 1, "),
			grade: "pending", says: "1 of 2 machines are ready"},
		"set, none can be made": {object: set("MachineSet", "replicas: 2", "replicas: 0, ", severe("Error", condition(
			"MachinesCreated", "False", "MachineCreationFailed", "exceeded quota"))), grade: "failing", since: "10:01",
			says: "MachinesCreated False (MachineCreationFailed): exceeded quota"},
		"deployment, rolled out": {object: set("MachineDeployment", "replicas: 1", "phase: Running, replicas: 1, updatedReplicas: 1, "+
			"readyReplicas: 1, availableReplicas: 1, ", condition("Available", "True", "", "")), grade: "ok"},
		"deployment, an old machine": {object: set("MachineDeployment", "replicas: 2", "phase: ScalingDown, replicas: 3, "+
			"updatedReplicas: 2, readyReplicas: 3, availableReplicas: 3, "), grade: "pending", says: "1 of 3 machines are to end"},
		"v1beta2's set, none can be made": {object: newer("MachineSet", "replicas: 0, ", condition("MachinesReady", "True",
			"NoReplicas", ""), condition("ScalingUp", "True", "ScalingUp", "Scaling up from 0 to 1 replicas is blocked because:\\n"+
			"* KubevirtMachineTemplate does not exist")), grade: "pending", says: "0 of 1 machines are ready: Scaling up from 0 to " +
			"1 replicas is blocked because: KubevirtMachineTemplate does not exist"},
		"v1beta2's deployment, one is not ready": {object: newer("MachineDeployment", "phase: ScalingUp, replicas: 1, upToDateReplicas: 1, ",
			condition("Available", "False", "NotAvailable", "0 available replicas, at least 1 required"), condition("ScalingUp", "True",
				"ScalingUp", "Scaling up from 0 to 1 replicas"), condition("MachinesReady", "False", "NotReady",
				"* Machine x:\\n  * InfrastructureReady: cannot pull")), grade: "pending",
			says: "0 of 1 machines are ready: Machine x: InfrastructureReady: cannot pull"},
		"v1beta2's deployment, rolled out": {object: newer("MachineDeployment", "phase: Running, replicas: 1, upToDateReplicas: 1, "+
			"readyReplicas: 1, availableReplicas: 1, ", condition("Available", "True", "Available", ""), condition("MachinesReady",
			"True", "Ready", ""), condition("RollingOut", "False", "NotRollingOut", "")), grade: "ok"},
		"deployment, failed": {object: set("MachineDeployment", "replicas: 2", "phase: Failed, "), grade: "broken",
			says: "it has failed"},
	}
}

func virtualMachines() map[string]verdict {
	vm := func(spec, printable string, list ...string) string {
		return of("kubevirt.io/v1", "VirtualMachine", "spec: {"+spec+"}, "+conditions("printableStatus: "+printable+", ", list...))
	}
	const always = "runStrategy: Always"
	ready := condition("Ready", "True", "", "")
	guest := condition("Ready", "False", "GuestNotRunning", "Guest VM is not reported as running")
	return map[string]verdict{
		"running": {object: vm(always, "Running", ready), grade: "ok", since: "10:01"},
		"behind its generation": {object: strings.Replace(vm(always, "Running, observedGeneration: 1", ready), "metadata: {",
			"metadata: {generation: 2, ", 1), grade: "pending", says: "latest observed generation is 1"},
		"migrating": {object: vm(always, "Migrating", ready), grade: "ok", since: "10:01"},
		"starting":  {object: vm(always, "Starting", guest), grade: "pending", says: "Starting: Guest VM is not reported", since: "10:01"},
		"new":       {object: vm(always, "Provisioning"), grade: "pending", says: "Provisioning", since: "10:00"},
		"paused by its disk": {object: vm(always, "Paused", guest, condition("Paused", "True", "PausedIOError",
			"VMI was paused, low-level IO error detected")), grade: "failing", since: "10:01",
			says: "Paused True (PausedIOError): VMI was paused, low-level IO error detected"},
		"paused by a user": {object: vm(always, "Paused", ready, condition("Paused", "True", "PausedByUser",
			"VMI was paused by user")), grade: "failing", says: "PausedByUser", since: "10:01"},
		"paused while it moves": {object: vm(always, "Migrating", ready, condition("Paused", "True", "PausedByMigrationMonitor",
			"VMI was paused by the migration monitor")), grade: "pending", says: "the migration monitor", since: "10:01"},
		"no node": {object: vm(always, "ErrorUnschedulable", guest, condition("PodScheduled", "False", "Unschedulable",
			"0/3 nodes are available: 3 Insufficient memory.")), grade: "failing", since: "10:01",
			says: "PodScheduled False (Unschedulable): 0/3 nodes are available: 3 Insufficient memory."},
		"no claim":   {object: vm(always, "ErrorPvcNotFound"), grade: "failing", says: "ErrorPvcNotFound"},
		"no image":   {object: vm(always, "ImagePullBackOff", guest), grade: "failing", says: "ImagePullBackOff: Guest", since: "10:01"},
		"crash loop": {object: vm(always, "CrashLoopBackOff"), grade: "failing", says: "CrashLoopBackOff"},
		"a quota": {object: vm(always, "Starting", condition("Failure", "True", "FailedCreate",
			"exceeded quota: small")), grade: "failing", says: "Failure True (FailedCreate): exceeded quota: small", since: "10:01"},
		"stopped": {object: vm("runStrategy: Halted", "Stopped", condition("Ready", "False", "VMINotExists", "VMI does not exist")),
			grade: "pending", says: "it is stopped, and its runStrategy is Halted"},
		"stopped, and was to run": {object: vm(always, "Stopped"), grade: "failing",
			says: "it is stopped, though its runStrategy is Always"},
		"stopped in the old way": {object: vm("running: true", "Stopped"), grade: "failing", says: "though its runStrategy is Always"},
		"not in step":            {object: vm(always, "Running", ready, condition("Synchronized", "False", "FailedAttach", "no disk")), grade: "warning", says: "no disk", since: "10:01"},
		"wants a restart": {object: vm(always, "Running", ready, condition("RestartRequired", "True", "RestartRequired",
			"a non-live-updatable field was changed")), grade: "warning", says: "non-live-updatable", since: "10:01"},
	}
}

func instances() map[string]verdict {
	vmi := func(status string, list ...string) string {
		return of("kubevirt.io/v1", "VirtualMachineInstance", conditions(status, list...))
	}
	migration := func(status string) string {
		return of("kubevirt.io/v1", "VirtualMachineInstanceMigration", "status: {"+status+"}")
	}
	return map[string]verdict{
		"running": {object: vmi("phase: Running, ", condition("Ready", "True", "", "")), grade: "ok", since: "10:01"},
		"paused": {object: vmi("phase: Running, ", condition("Paused", "True", "PausedIOError", "low-level IO error")),
			grade: "failing", says: "low-level IO error", since: "10:01"},
		"no node": {object: vmi("phase: Scheduling, ", condition("PodScheduled", "False", "Unschedulable", "0/3 nodes")),
			grade: "failing", says: "0/3 nodes", since: "10:01"},
		"starting": {object: vmi("phase: Scheduled, ", condition("Ready", "False", "GuestNotRunning", "not running")),
			grade: "pending", says: "it does not run yet, phase Scheduled: not running", since: "10:01"},
		"new":   {object: vmi(""), grade: "pending", says: "phase not set"},
		"ended": {object: vmi("phase: Failed, reason: NodeUnresponsive, "), grade: "broken", says: "phase Failed: NodeUnresponsive"},

		"migration, done":  {object: migration("phase: Succeeded"), grade: "ok", since: "10:00"},
		"migration, waits": {object: migration("phase: Pending"), grade: "pending", says: "the live migration is Pending", since: "10:00"},
		"migration, failed": {object: migration("phase: Failed, migrationState: {failed: true, failureReason: Live migration failed " +
			"due to timeout}"), grade: "broken", says: "failed due to timeout", since: "10:00"},
	}
}

func dataVolumes() map[string]verdict {
	volume := func(status string, list ...string) string {
		return of("cdi.kubevirt.io/v1beta1", "DataVolume", conditions(status, list...))
	}
	bound := condition("Bound", "True", "Bound", "PVC x Bound")
	return map[string]verdict{
		"filled": {object: volume("phase: Succeeded, ", bound, condition("Running", "False", "Completed", "Import Complete"),
			condition("Ready", "True", "", "")), grade: "ok", since: "10:01"},
		"being filled": {object: volume("phase: ImportInProgress, progress: 45.2%, ", bound, condition("Running", "True",
			"Pod is running", ""), condition("Ready", "False", "TransferRunning", "")), grade: "pending", says: "it is ImportInProgress",
			since: "10:01"},
		"no image": {object: volume("phase: ImportInProgress, ", bound, condition("Running", "False", "ImagePullFailed",
			"unable to pull: 404")), grade: "failing", says: "Running False (ImagePullFailed): unable to pull: 404", since: "10:01"},
		"no claim": {object: volume("phase: Pending, ", condition("Bound", "False", "ErrClaimNotValid", "no accessModes")),
			grade: "failing", says: "ErrClaimNotValid): no accessModes", since: "10:01"},
		"ends again and again": {object: volume("phase: ImportInProgress, restartCount: 4, ", bound, condition("Running", "True",
			"Pod is running", "")), grade: "failing", says: "what fills it has restarted: Running True (Pod is running)",
			since: "10:01"},
		"waits for a VM": {object: volume("phase: WaitForFirstConsumer, "), grade: "pending", says: "it is WaitForFirstConsumer",
			since: "10:00"},
		"no such image": {object: volume("phase: ImportInProgress, restartCount: 4, ", bound, condition("Running", "False",
			"Error", "connection refused")), grade: "failing", says: "Running False (Error): connection refused", since: "10:01"},
		"failed": {object: volume("phase: Failed, ", condition("Running", "False", "Error", "disk too small")), grade: "broken",
			says: "it has failed (Error): disk too small", since: "10:01"},
		"new": {object: volume(""), grade: "pending", says: "it is not processed yet", since: "10:00"},
	}
}
