package hypershift

import "fmt"

// Cluster operators of a guest. Source: HyperShift's page on ingress and DNS for KubeVirt shows both messages of a guest
// whose *.apps leads nowhere; the console's with no host for the name.
const (
	msgCanaryFails = `The "default" ingress controller reports Degraded=True: DegradedConditions: One or more other status ` +
		`conditions indicate a degraded state: CanaryChecksSucceeding=False (CanaryChecksRepetitiveFailures: Canary route checks ` +
		`for the default ingress controller are failing)`
	reasonCanaryFails = "IngressDegraded"
	reasonRouteHealth = "RouteHealth_FailedGet"
)

func msgConsoleUnresolved(host string) string {
	return fmt.Sprintf(`RouteHealthAvailable: failed to GET route (https://%s): Get "https://%s": dial tcp: lookup %s on 172.31.0.10:53: no such host`,
		host, host, host)
}

// Guess: the console's words when the management cluster's router answers that it knows no such host.
func msgConsoleUnavailable(host string) string {
	return fmt.Sprintf("RouteHealthAvailable: route not yet available, https://%s returns '503 Service Unavailable'", host)
}
