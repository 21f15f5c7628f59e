// Package jumphost is the service that lets people without rights on the management cluster reach the nodes and the API
// server of one hosted cluster: an SSH server behind an address of the tenant's, with an image of the user's choice.
package jumphost
