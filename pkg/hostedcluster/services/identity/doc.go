// Package identity has the services for the login to a hosted cluster: the HostedCluster's use of an OpenID Connect
// provider, Dex as such a provider, and the roles of the provider's groups.
package identity
