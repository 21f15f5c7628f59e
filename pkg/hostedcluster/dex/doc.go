// Package dex reads the configuration file of Dex, an OpenID Connect provider, in Dex's own format.
//
// It checks what hcctl and a login depend on: issuer, TLS, storage, connectors, clients, passwords. All else is passed
// on, and Dex itself refuses fields that it does not know (StrictFields). Render adds what belongs to a deployment: the
// address, the certificate, and clients.
package dex
