package health_test

import (
	"fmt"
	"strings"

	"github.com/hcctl/hcctl/pkg/kube/health"
)

func claims() map[string]verdict {
	claim := func(spec, status string) string {
		return of("v1", "PersistentVolumeClaim", "spec: {"+spec+"}, "+status)
	}
	bound := func(c string) string {
		return claim("storageClassName: ceph, volumeName: pv-1", conditions("phase: Bound, ", c))
	}
	return map[string]verdict{
		"bound": {object: claim("volumeName: pv-1", "status: {phase: Bound}"), grade: "ok", since: "10:00"},
		"of a class": {object: claim("storageClassName: ceph", "status: {phase: Pending}"), grade: "pending", since: "10:00",
			says: "it has no volume of StorageClass ceph yet"},
		"without a class": {object: claim("", "status: {phase: Pending}"), grade: "failing", since: "10:00",
			says: "it is Pending without a StorageClass: there is no default one"},
		"of the empty class": {object: claim(`storageClassName: ""`, "status: {phase: Pending}"), grade: "failing", since: "10:00",
			says: "a PersistentVolume that somebody makes"},
		"of a volume that is not there": {object: claim("storageClassName: ceph, volumeName: pv-1", "status: {phase: Pending}"),
			grade: "pending", says: "it waits for PersistentVolume pv-1", since: "10:00"},
		"lost": {object: claim("volumeName: pv-1", "status: {phase: Lost}"), grade: "failing", since: "10:00",
			says: "its PersistentVolume pv-1 is gone"},
		"new": {object: claim("", "status: {}"), grade: "pending", says: "not processed", since: "10:00"},
		"waits for its pod to grow": {object: bound(condition("FileSystemResizePending", "True", "",
			"Waiting for user to (re-)start a pod to finish file system resize of volume on node.")), grade: "warning",
			says: "(re-)start a pod", since: "10:01"},
		"cannot grow": {object: bound(condition("ControllerResizeError", "True", "", "out of space")), grade: "warning",
			says: "ControllerResizeError True: out of space", since: "10:01"},
	}
}

func volumes() map[string]verdict {
	volume := func(spec, status string) string {
		return of("v1", "PersistentVolume", "spec: {claimRef: {namespace: ns, name: data}, "+spec+"}, status: {"+status+
			`, lastPhaseTransitionTime: "2026-11-20T09:00:00Z"}`)
	}
	return map[string]verdict{
		"bound":     {object: volume("", "phase: Bound"), grade: "ok", since: "09:00"},
		"available": {object: volume("", "phase: Available"), grade: "ok", since: "09:00"},
		"kept": {object: volume("persistentVolumeReclaimPolicy: Retain", "phase: Released"), grade: "warning", since: "09:00",
			says: "its claim ns/data is gone: its data is kept"},
		"not deleted": {object: volume("", `phase: Failed, reason: VolumeFailedDelete, message: "rbd: device busy"`),
			grade: "failing", says: "rbd: device busy", since: "09:00"},
		"pending": {object: volume("", "phase: Pending"), grade: "pending", says: "not available", since: "09:00"},
	}
}

func cephs() map[string]verdict {
	ceph := func(status string) string {
		return of("ceph.rook.io/v1", "CephCluster", `status: {phase: Ready, ceph: {lastChanged: "2026-11-20T09:30:00Z", `+
			status+"}}")
	}
	return map[string]verdict{
		"well": {object: ceph("health: HEALTH_OK"), grade: "ok", since: "09:30", says: "Ceph is HEALTH_OK"},
		"nearly full": {object: ceph(`health: HEALTH_WARN, details: {OSD_NEARFULL: {message: "1 nearfull osd(s)"}}`),
			grade: "warning", since: "09:30", says: "Ceph says HEALTH_WARN: OSD_NEARFULL (1 nearfull osd(s))"},
		"ill": {object: ceph("health: HEALTH_ERR, details: {PG_DAMAGED: {}, MDS_ALL_DOWN: {message: offline}}"),
			grade: "failing", since: "09:30", says: "Ceph says HEALTH_ERR: MDS_ALL_DOWN (offline), PG_DAMAGED"},
		"a pool is full": {object: ceph(`health: HEALTH_WARN, details: {POOL_FULL: {message: "1 pool(s) full"}}`),
			grade: "broken", since: "09:30", says: "Ceph is full and takes no more data"},
		"new": {object: of("ceph.rook.io/v1", "CephCluster", "status: {phase: Progressing}"), grade: "pending",
			says: `does not report its health ("")`},
	}
}

// mirrored is the Service that KubeVirt's cloud provider makes for one of a hosted cluster: without a selector.
func mirrored(policy string) string {
	return of("v1", "Service", "spec: {clusterIP: 172.30.0.9, type: LoadBalancer, externalTrafficPolicy: "+policy+
		"}, status: {loadBalancer: {ingress: [{ip: 192.0.2.10}]}}")
}

func services() map[string]verdict {
	service := func(kind, status string) string {
		return of("v1", "Service", "spec: {clusterIP: 172.30.0.9, type: "+kind+", selector: {app: x}}, status: {"+status+"}")
	}
	const address = "loadBalancer: {ingress: [{ip: 192.0.2.10}]}"
	down := `{"addresses": ["10.0.0.1"], "conditions": {"ready": false}}`
	return map[string]verdict{
		"inside":   {object: service("ClusterIP", ""), grade: "ok"},
		"balanced": {object: service("LoadBalancer", address), grade: "ok"},
		"no address": {object: service("LoadBalancer", "loadBalancer: {}"), grade: "pending", since: "10:00",
			says: "it is of type LoadBalancer and has no address"},
		"ports refused": {object: service("LoadBalancer", address+", conditions: ["+condition("LoadBalancerPortsError", "True",
			"PortsInUse", "6443 is taken")+"]"), grade: "failing", says: "6443 is taken", since: "10:01"},
		"served": {object: service("ClusterIP", ""), facts: slices(`{"addresses": ["10.0.0.1"]}, ` + down), grade: "ok"},
		"no ready endpoint": {object: service("ClusterIP", ""), facts: slices(down), grade: "failing",
			says: "none of its 1 endpoint is ready"},
		"no endpoint": {object: service("LoadBalancer", address), facts: slices(""), grade: "failing",
			says: "no pod has the labels of its selector"},
		"of a name": {object: service("ExternalName", ""), facts: slices(""), grade: "ok"},
		"mirrored, and nobody serves": {object: mirrored("Cluster"), facts: slices(""), grade: "failing",
			says: "nobody has written EndpointSlices for it"},
		"mirrored": {object: mirrored("Cluster"), facts: slices(`{"addresses": ["10.0.0.1"]}`), grade: "ok"},
		"mirrored, with two addresses": {object: mirrored("Cluster"), facts: slices(`{"addresses": ["10.0.0.1"]}, ` +
			`{"addresses": ["10.0.0.2", "10.8.1.2"]}`), grade: "failing", says: "EndpointSlice x-1 has an endpoint with more " +
			"than one address: connections that go to 10.8.1.2 may end there"},
		"mirrored, and no node takes it": {object: mirrored("Local"), facts: slices(`{"addresses": ["10.0.0.1"]}`),
			grade: "failing", says: "its externalTrafficPolicy is Local, and none of its 1 endpoint names a node"},
		"mirrored, and a node takes it": {object: mirrored("Local"),
			facts: slices(`{"addresses": ["10.0.0.1"], "nodeName": "w"}`), grade: "ok"},
	}
}

func routes() map[string]verdict {
	route := func(ingress string) string {
		return of("route.openshift.io/v1", "Route", "spec: {host: api.example.com}, status: {ingress: ["+ingress+"]}")
	}
	by := func(router, c string) string {
		return "{routerName: " + router + ", host: api.example.com, conditions: [" + c + "]}"
	}
	yes := condition("Admitted", "True", "", "")
	claimed := condition("Admitted", "False", "HostAlreadyClaimed", "route other is older and owns the host")
	return map[string]verdict{
		"admitted":   {object: route(by("default", yes)), grade: "ok", since: "10:01"},
		"not looked": {object: route(""), grade: "pending", says: "no router has admitted it yet", since: "10:00"},
		"another's host": {object: route(by("default", claimed)), grade: "failing", since: "10:01",
			says: "router default does not admit it (HostAlreadyClaimed): route other is older and owns the host"},
		"one shard refuses": {object: route(by("default", yes) + ", " + by("shard", condition("Admitted", "False",
			"RouteNotAdmitted", "namespace is not selected"))), grade: "warning", since: "10:01",
			says: "router shard does not admit it (RouteNotAdmitted): namespace is not selected"},
	}
}

func requests() map[string]verdict {
	request := func(status string) string {
		return of("certificates.k8s.io/v1", "CertificateSigningRequest", "spec: {signerName: kubernetes.io/kubelet-serving, "+
			`username: "system:node:w1"}, `+status)
	}
	approved := condition("Approved", "True", "NodeCSRApprove", "approved by cluster-machine-approver")
	return map[string]verdict{
		"issued": {object: request(conditions("certificate: Zm9v, ", approved)), grade: "ok", since: "10:01"},
		"waits for long": {object: request("status: {}"), grade: "failing", since: "10:00",
			says: "nobody has approved it: system:node:w1 asks for a certificate of kubernetes.io/kubelet-serving"},
		"approved": {object: request(conditions("", approved)), grade: "pending", since: "10:01",
			says: "signer kubernetes.io/kubelet-serving has not issued"},
		"denied": {object: request(conditions("", condition("Denied", "True", "", "no such machine"))), grade: "broken",
			says: "no such machine", since: "10:01"},
		"failed": {object: request(conditions("", approved, condition("Failed", "True", "SignerValidationFailure", "bad usages"))),
			grade: "broken", says: "bad usages", since: "10:01"},
	}
}

func budgets() map[string]verdict {
	budget := func(counts string, list ...string) string {
		return of("policy/v1", "PodDisruptionBudget", conditions(counts, list...))
	}
	const three = "observedGeneration: 0, currentHealthy: 3, desiredHealthy: 3, expectedPods: 3, "
	return map[string]verdict{
		"one may go": {object: budget(three+"disruptionsAllowed: 1, ", condition("DisruptionAllowed", "True", "SufficientPods",
			"")), grade: "ok", since: "10:01"},
		"none may go": {object: budget(three+"disruptionsAllowed: 0, ", condition("DisruptionAllowed", "False",
			"InsufficientPods", "")), grade: "warning", since: "10:01",
			says: "it lets no pod go, so that drains of their nodes wait: 3 of 3 pods are healthy, and 3 have to be"},
		"of no pod": {object: budget("expectedPods: 0, disruptionsAllowed: 0, "), grade: "ok"},
		"new":       {object: budget(""), grade: "pending", says: "not processed"},
		"not counted": {object: budget("disruptionsAllowed: 0, ", condition("DisruptionAllowed", "False", "SyncFailed",
			"does not implement the scale subresource")), grade: "failing", says: "scale subresource", since: "10:01"},
	}
}

func operators() map[string]verdict {
	operator := func(list ...string) string {
		return of("config.openshift.io/v1", "ClusterOperator", conditions("", list...))
	}
	available, progressing := condition("Available", "True", "AsExpected", ""), condition("Progressing", "False", "", "")
	return map[string]verdict{
		"well": {object: operator(available, progressing, condition("Degraded", "False", "", "")), grade: "ok", since: "10:01"},
		"new":  {object: operator(), grade: "pending", says: "it has not reported yet"},
		"degraded and unavailable": {object: operator(condition("Available", "False", "RouteHealth_FailedGet", "503"),
			condition("Degraded", "True", "RouteHealth_FailedGet", "failed to GET route: 503")), grade: "failing",
			says: "Degraded True (RouteHealth_FailedGet): failed to GET route: 503", since: "10:01"},
		"unavailable": {object: operator(condition("Available", "False", "NoData", "no image")), grade: "failing",
			says: "Available False (NoData): no image", since: "10:01"},
		"silent": {object: operator(condition("Available", "Unknown", "", "")), grade: "pending", says: "Available Unknown",
			since: "10:01"},
		"working on it": {object: operator(available, condition("Progressing", "True", "Rollout", "1 of 3")), grade: "pending",
			says: "Progressing True (Rollout): 1 of 3", since: "10:01"},
		"in the way of the next version": {object: operator(available, condition("Upgradeable", "False", "OldAPIs", "remove them")),
			grade: "warning", says: "Upgradeable False (OldAPIs): remove them", since: "10:01"},
		"degraded is not known": {object: operator(available, condition("Degraded", "Unknown", "NoData", "")), grade: "warning",
			says: "Degraded Unknown (NoData)", since: "10:01"},
	}
}

func managedClusters() map[string]verdict {
	cluster := func(list ...string) string {
		return of("cluster.open-cluster-management.io/v1", "ManagedCluster", "spec: {hubAcceptsClient: true}, "+
			conditions("", list...))
	}
	addon := func(list ...string) string {
		return of("addon.open-cluster-management.io/v1alpha1", "ManagedClusterAddOn", conditions("", list...))
	}
	joined := condition("ManagedClusterJoined", "True", "ManagedClusterJoined", "Managed cluster joined")
	return map[string]verdict{
		"available": {object: cluster(joined, condition("ManagedClusterConditionAvailable", "True", "ManagedClusterAvailable",
			"")), grade: "ok", since: "10:01"},
		"not accepted": {object: of("cluster.open-cluster-management.io/v1", "ManagedCluster", "spec: {hubAcceptsClient: false}"),
			grade: "failing", says: "hubAcceptsClient is false"},
		"not joined": {object: cluster(), grade: "pending", says: "ManagedClusterJoined not reported yet"},
		"silent": {object: cluster(joined, condition("ManagedClusterConditionAvailable", "Unknown",
			"ManagedClusterLeaseUpdateStopped", "Registration agent stopped updating its lease.")), grade: "failing",
			says: "Registration agent stopped updating its lease.", since: "10:01"},
		"addon, available": {object: addon(condition("Available", "True", "ManagedClusterAddOnLeaseUpdated", "")), grade: "ok",
			since: "10:01"},
		"addon, silent": {object: addon(condition("Available", "Unknown", "ManagedClusterAddOnLeaseUpdateStopped",
			"Status of x add-on on managed cluster ns is unknown.")), grade: "failing", says: "LeaseUpdateStopped", since: "10:01"},
		"addon, not registered": {object: addon(condition("RegistrationApplied", "False", "RegistrationAppliedFailed", "no CSR")),
			grade: "failing", says: "no CSR", since: "10:01"},
		"addon, new": {object: addon(), grade: "pending", says: "Available not reported yet"},
	}
}

// operatorsObjects are objects that operators report on by the conditions that they have in common.
func operatorsObjects() map[string]verdict {
	available := condition("Available", "True", "", "")
	required := []health.Fact{health.Final("Bad"), health.Conditions([]string{"Complete", "Available"}, []string{"Degraded"})}
	complete := func(first ...string) string {
		return of("example.com/v1", "Thing", conditions("observedGeneration: 0, ", append(first, condition("Complete", "True", "",
			""), available, condition("Degraded", "False", "", ""))...))
	}
	newest := func(object string) string { return strings.Replace(object, "name: x,", "name: x, generation: 1,", 1) }
	return map[string]verdict{
		"IngressController, not admitted": {object: of("operator.openshift.io/v1", "IngressController", conditions("",
			condition("Admitted", "False", "Invalid", "conflicts with: default"))), grade: "pending", since: "10:01",
			says: "Admitted False (Invalid): conflicts with: default"},
		"HyperConverged, holds an update": {object: of("hco.kubevirt.io/v1beta1", "HyperConverged", conditions("", available,
			condition("Upgradeable", "False", "AlreadyPerformingUpgrade", "It is not allowed"))), grade: "warning", since: "10:01",
			says: "Upgradeable False (AlreadyPerformingUpgrade)"},
		"MetalLB, available": {object: of("metallb.io/v1beta1", "MetalLB", conditions("", available, condition("Upgradeable",
			"True", "", ""))), grade: "ok", since: "10:01"},
		"required ones, all good": {object: complete(), facts: required, grade: "ok", since: "10:01"},
		"required ones, hopeless": {object: complete(condition("Complete", "False", "Bad", "never")), facts: required,
			grade: "broken", since: "10:01", says: "Complete False (Bad): never"},
		"required ones, hopeless before its newest change": {object: newest(complete(condition("Complete", "False", "Bad",
			"never"))), facts: required, grade: "pending", says: "has not processed its latest change"},
		"required ones, not complete": {object: complete(condition("Complete", "False", "Why", "words")), facts: required,
			grade: "pending", since: "10:01", says: "Complete False (Why)"},
		"required ones, degraded goes before not complete": {object: complete(condition("Complete", "False", "Why", ""),
			condition("Degraded", "True", "Sick", "")), facts: required, grade: "failing", since: "10:01",
			says: "Degraded True (Sick)"},
		"required ones, not reported": {object: of("example.com/v1", "Thing", conditions("", condition("Complete", "True", "", ""),
			available)), facts: required, grade: "pending", says: "Degraded not reported yet"},
		"DataProtectionApplication, refused": {object: of("oadp.openshift.io/v1alpha1", "DataProtectionApplication", conditions("",
			condition("Reconciled", "False", "Error", "no provider secret key"))), grade: "pending", says: "no provider secret key",
			since: "10:01"},
	}
}

func versions() map[string]verdict {
	const done, half = `{state: Completed, version: "4.20.3"}`, `{state: Partial, version: "4.20.9"}`
	version := func(history string, list ...string) string {
		return of("config.openshift.io/v1", "ClusterVersion", conditions("history: ["+history+"], ", list...))
	}
	available, progressing := condition("Available", "True", "", ""), condition("Progressing", "True", "Updating", "12 of 900")
	return map[string]verdict{
		"well": {object: version(done, available), grade: "ok", since: "10:01"},
		"new":  {object: version(""), grade: "pending", says: "Available not reported yet"},
		"updating": {object: version(half+", "+done, available, progressing), grade: "pending", since: "10:01",
			says: "the upgrade from OpenShift 4.20.3 to 4.20.9 is under way: 12 of 900"},
		"half done": {object: version(half+", "+done, available), grade: "pending", says: "is not complete yet"},
		"failing": {object: version(half+", "+done, available, progressing, condition("Failing", "True",
			"ClusterOperatorDegraded", "Cluster operator etcd is degraded")), grade: "failing", since: "10:01",
			says: "to 4.20.9 is failing (ClusterOperatorDegraded): Cluster operator etcd is degraded"},
		"does not serve": {object: version(done, condition("Available", "False", "NoData", "")), grade: "failing",
			since: "10:01", says: "Available False (NoData)"},
		"another version is wanted": {object: strings.Replace(version("], observedGeneration: 1, availableUpdates: ["), "name: x,",
			"name: x, generation: 2,", 1), grade: "pending", says: "has not processed the newest change"},
		"in the way of the next minor": {object: version(done, available, condition("Upgradeable", "False", "AdminAckRequired",
			"acknowledge")), grade: "warning", since: "10:01", says: "AdminAckRequired"},
	}
}

func configPools() map[string]verdict {
	pool := func(paused bool, list ...string) string {
		return of("machineconfiguration.openshift.io/v1", "MachineConfigPool", fmt.Sprintf("spec: {paused: %t}, ", paused)+
			conditions("machineCount: 3, updatedMachineCount: 1, ", list...))
	}
	updated, behind := condition("Updated", "True", "", ""), condition("Updated", "False", "", "")
	return map[string]verdict{
		"updated": {object: pool(false, updated, condition("Degraded", "False", "", "")), grade: "ok", since: "10:01"},
		"a node is late": {object: pool(false, behind, condition("Updating", "True", "", "All nodes are updating")),
			grade: "pending", since: "10:01", says: "its nodes are being updated: 1 of 3 are"},
		"behind its newest change": {object: strings.NewReplacer("name: x,", "name: x, generation: 2,", "machineCount: 3",
			"observedGeneration: 1, machineCount: 3").Replace(pool(false, updated)), grade: "pending", since: "10:01",
			says: "its nodes are being updated"},
		"degraded": {object: pool(true, behind, condition("Degraded", "True", "", ""), condition("NodeDegraded", "True",
			"1 nodes are reporting degraded status on sync", "Node worker-1 is reporting: disk full")), grade: "failing",
			since: "10:01", says: "Node worker-1 is reporting: disk full"},
		"paused":              {object: pool(true, updated), grade: "warning", since: "10:01", says: "it is paused: its nodes stay"},
		"paused with changes": {object: pool(true, behind), grade: "failing", since: "10:01", says: "with changes waiting"},
		"new":                 {object: pool(false), grade: "pending", says: "Updated not reported yet"},
	}
}
