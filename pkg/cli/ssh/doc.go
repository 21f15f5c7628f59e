// Package ssh has the commands that log in to the worker nodes of hosted clusters.
package ssh
