// Package ssh has the command ssh, and the command that ssh itself runs to connect.
package ssh
