// Package registry serves release payloads and other images to the vendor's operators: a registry on loopback with TLS,
// and a proxy through which the operators reach it under the names quay.io and registry.redhat.io.
//
// Real: the protocol, the digests, and the files of a payload that the operators read
// (release-manifests/image-references and the boot images). The images have no programs in them.
package registry
