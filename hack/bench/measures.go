package main

import "slices"

func least(b bound, v float64) *target { return &target{b, v, ofMedian} }

func always(b bound, v float64) *target { return &target{b, v, ofWorst} }

// measures returns all measures in the order of the report, with the project's own targets.
func measures() []measure {
	return slices.Concat(clusterMeasures(), followingMeasures(), manyMeasures())
}

// measureOf returns the measure with this ID, which must exist.
func measureOf(id string) measure {
	all := measures()
	return all[slices.IndexFunc(all, func(m measure) bool { return m.ID == id })]
}

// clusterMeasures are about commands that read and end.
func clusterMeasures() []measure {
	const bare, checked = "hcctl create cluster --wait none --skip-preflight all", "hcctl create cluster --wait none"
	const get, check = "hcctl get clusters -A", "hcctl check"
	const kubectl = get + "; kubectl get hostedclusters -A"
	return []measure{
		{"create.bare.requests", "create", "create: requests", "requests", always(atMost, 9), bare},
		{"create.bare.time", "create", "create: time", "ms", least(under, 60), bare},
		{"create.checked.requests", "create", "create with the checks before: requests", "requests", always(atMost, 40),
			checked},
		{"create.checked.time", "create", "create with the checks before: time", "ms", least(under, 250), checked},
		{"get.1.time", "get", "list 1 cluster: time", "ms", least(under, 60), get},
		{"get.1.memory", "get", "list 1 cluster: memory resident", "MB", always(under, 90), get},
		{"get.1.requests", "get", "list 1 cluster: requests", "requests", nil, get},
		{"get.100.time", "get", "list 100 clusters: time", "ms", least(under, 90), get},
		{"get.100.memory", "get", "list 100 clusters: memory resident", "MB", always(under, 90), get},
		{"get.100.requests", "get", "list 100 clusters: requests", "requests", nil, get},
		{"get.1000.time", "get", "list 1,000 clusters (2,000 node pools): time", "ms", least(under, 400), get},
		{"get.1000.memory", "get", "list 1,000 clusters: memory resident", "MB", always(under, 90), get},
		{"get.1000.requests", "get", "list 1,000 clusters: requests", "requests", nil, get},
		{"get.100.kubectl.time", "get", "list 100 clusters: time over kubectl's", "times", least(atMost, 0.8), kubectl},
		{"get.100.kubectl.memory", "get", "list 100 clusters: memory over kubectl's", "times", least(atMost, 0.5), kubectl},
		{"get.1000.kubectl.time", "get", "list 1,000 clusters: time over kubectl's", "times", least(atMost, 0.8), kubectl},
		{"get.1000.kubectl.memory", "get", "list 1,000 clusters: memory over kubectl's", "times", least(atMost, 0.5),
			kubectl},
		{"get.10000.kubectl.time", "get", "list 10,000 clusters: time over kubectl's", "times", least(atMost, 0.8), kubectl},
		{"get.10000.kubectl.memory", "get", "list 10,000 clusters: memory over kubectl's", "times", least(atMost, 0.5),
			kubectl},
		{"get.growth", "get", "time with 1,000 clusters over that with 100", "times", least(atMost, 10), get},
		{"get.unpaged", "get", "lists asked for without a limit", "", always(atMost, 0), get},
		{"check.ready.time", "check", "check, all ready: time", "ms", least(under, 400), check},
		{"check.ready.memory", "check", "check, all ready: memory resident", "MB", nil, check},
		{"check.ready.requests", "check", "check, all ready: requests", "requests", nil, check},
		{"check.1000.time", "check", "check with 1,000 clusters: time", "ms", least(under, 1000), check},
		{"check.1000.memory", "check", "check with 1,000 clusters: memory resident", "MB", nil, check},
		{"check.1000.requests", "check", "check with 1,000 clusters: requests", "requests", nil, check},
		{"check.1000.more", "check", "requests that 1,000 clusters add, further pages aside", "requests", always(atMost, 0),
			check},
	}
}

// followingMeasures are about commands that wait.
func followingMeasures() []measure {
	const wait, create = "hcctl wait cluster --for complete", "hcctl create cluster --wait complete"
	return []measure{
		{"reaction.wait.median", "reaction", "last condition written to end of wait: median", "ms", least(under, 50), wait},
		{"reaction.wait.worst", "reaction", "last condition written to end of wait: worst", "ms", always(under, 250), wait},
		{"reaction.create.median", "reaction", "last condition written to end of create: median", "ms", least(under, 50),
			create},
		{"reaction.create.worst", "reaction", "last condition written to end of create: worst", "ms", always(under, 250),
			create},
		{"waiting.first", "waiting", "requests until it waits", "requests", nil, wait},
		{"waiting.window", "waiting", "requests counted while it waits (90 s, or -waiting)", "requests", nil, wait},
		{"waiting.rate", "waiting", "requests a minute over 20 minutes of waiting, reckoned up", "requests", always(under, 1),
			wait},
		{"bootstrap.share", "bootstrap", "bootstrap: own share of the critical path", "%", least(under, 5),
			"hcctl bootstrap"},
		{"bootstrap.write", "bootstrap", "bootstrap: needs ready to first write, slowest step", "ms", least(under, 100),
			"hcctl bootstrap"},
		{"bootstrap.end", "bootstrap", "bootstrap: ready to end of step, slowest step", "ms", least(under, 100),
			"hcctl bootstrap"},
		{"bootstrap.whole", "bootstrap", "bootstrap: the whole, operators at full length", "s", nil, "hcctl bootstrap"},
	}
}

// manyMeasures are about many clusters.
func manyMeasures() []measure {
	const (
		apply      = "hcctl apply --wait none (100 clusters)"
		watch      = "hcctl get clusters -A --watch -o json"
		fleet      = "hcctl apply --wait api --parallel 1000"
		list, once = "hcctl status -A", "hcctl exporter --once --causes"
	)
	return []measure{
		{"broken.1000.status.time", "broken", "1,000 clusters, 5 % fail, causes of 20: time", "ms", least(under, 3000), list},
		{"broken.1000.status.memory", "broken", "the same: memory resident", "MB", always(under, 120), list},
		{"broken.1000.exporter.time", "broken", "the same, all metrics once: time", "ms", least(under, 3000), once},
		{"broken.1000.exporter.memory", "broken", "the same: memory resident", "MB", always(under, 120), once},
		{"broken.5000.status.time", "broken", "5,000 clusters, 5 % fail, causes of 20: time", "ms", least(under, 3000), list},
		{"broken.5000.status.memory", "broken", "the same: memory resident", "MB", always(under, 120), list},
		{"broken.5000.exporter.time", "broken", "the same, all metrics once: time", "ms", least(under, 3000), once},
		{"broken.5000.exporter.memory", "broken", "the same: memory resident", "MB", always(under, 120), once},
		{"fleet.rate", "fleet", "apply of 100 clusters: created a second", "clusters/s", least(over, 15), apply},
		{"fleet.memory", "fleet", "apply of 100 clusters: memory resident", "MB", always(under, 150), apply},
		{"fleet.requests", "fleet", "apply of 100 clusters: requests for each cluster", "requests", nil, apply},
		{"fleet.pace", "fleet", "apply of 100 clusters: requests a second (a client's usual limiter lets 5 or 20 through)",
			"requests/s", least(over, 20), apply},
		{"fleet.refused", "fleet", "apply of 100 clusters: answers 429", "", nil, apply},
		{"watch.missed", "watch", "1,000 clusters watched, 10,000 changes: missed", "changes", always(atMost, 0), watch},
		{"watch.growth", "watch", "memory in the last fifth of the changes over that in the second", "times",
			least(under, 1.2), watch},
		{"watch.memory", "watch", "most memory resident while it watches", "MB", nil, watch},
		{"watch.lag", "watch", "change sent to the API server to change told, under full load: median", "ms", nil, watch},
		{"fleetwait.missed", "watch", "1,000 clusters waited for, 10,000 changes: clusters whose last was missed", "clusters",
			always(atMost, 0), fleet},
		{"fleetwait.growth", "watch", "memory in the last fifth of the changes over that in the second", "times",
			least(under, 1.2), fleet},
		{"fleetwait.memory", "watch", "most memory resident while it waits", "MB", nil, fleet},
		{"fleetwait.requests", "watch", "requests for each cluster, to its end", "requests", nil, fleet},
	}
}
