// Package identity are the services by which people log in to a hosted cluster: how the HostedCluster uses an OpenID
// Connect provider, Dex as such a provider, and the roles that the provider's groups have.
package identity
