// Package ssh implements hcctl ssh, and the hidden command ssh-proxy that ssh itself runs to connect.
package ssh
