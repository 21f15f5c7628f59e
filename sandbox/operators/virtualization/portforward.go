package virtualization

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
	"github.com/hcctl/hcctl/sandbox/sshd"
)

// portAnnotation with a port at its end is where connections to that port of a virtual machine go: no machine runs in
// the sandbox. Its value is an address of this machine, such as 127.0.0.1:2222.
const portAnnotation = "sandbox.hcctl.dev/port-"

// plainStream is the WebSocket subprotocol of KubeVirt's streams (kubevirt.io/client-go v1.8).
const plainStream = "plain.kubevirt.io"

// dialTime bounds a connection to what stands for a port.
const dialTime = 5 * time.Second

// subresourcePath cuts the path of a VirtualMachineInstance's subresource into its parts, the subresource's own last.
func subresourcePath(r *http.Request, name string) ([]string, bool) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/apis/"+subresourcesGroup+"/"+subresourcesV+"/"), "/")
	return parts, len(parts) >= 5 && parts[0] == "namespaces" && parts[2] == "virtualmachineinstances" && parts[4] == name
}

// runningInstance is the instance that a subresource is asked of. It answers the request and returns nil if there is
// none, or if it does not run. The messages are made up.
func (v *virtualization) runningInstance(
	w http.ResponseWriter, r *http.Request, parts []string,
) *kubevirtv1.VirtualMachineInstance {
	vmi := &kubevirtv1.VirtualMachineInstance{}
	err := v.Client.Get(r.Context(), types.NamespacedName{Namespace: parts[1], Name: parts[3]}, vmi)
	switch {
	case framework.IsGone(err):
		http.Error(w, "virtualmachineinstance.kubevirt.io "+parts[3]+" not found", http.StatusNotFound)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	case vmi.Status.Phase != kubevirtv1.Running:
		http.Error(w, "VMI is not running", http.StatusBadRequest)
	default:
		return vmi
	}
	return nil
}

// portForward answers GET .../namespaces/NS/virtualmachineinstances/NAME/portforward/PORT[/tcp] as virt-api does, and
// returns false for every other path.
func (v *virtualization) portForward(w http.ResponseWriter, r *http.Request) bool {
	parts, is := subresourcePath(r, "portforward")
	if !is || len(parts) < 6 {
		return false
	}
	vmi := v.runningInstance(w, r, parts)
	if vmi == nil {
		return true
	}
	target, err := v.dialMachine(r.Context(), vmi, parts[5])
	if err != nil {
		http.Error(w, "dialing VM: "+err.Error(), http.StatusInternalServerError)
		return true
	}
	stream(w, r, target)
	return true
}

// dialMachine connects to a port of a machine: to where its annotation says, else to its SSH server, which is played.
func (v *virtualization) dialMachine(ctx context.Context, vmi *kubevirtv1.VirtualMachineInstance, port string) (
	net.Conn, error,
) {
	if elsewhere, said := vmi.Annotations[portAnnotation+port]; said || port != "22" {
		conn, err := net.DialTimeout("tcp", elsewhere, dialTime)
		if err != nil {
			return nil, errors.New("connection refused")
		}
		return conn, nil
	}
	return sshd.Machine(ctx, v.Client, vmi.Namespace, vmi.Name, vmi.UID)
}

// stream upgrades a request to a WebSocket, and passes bytes between it and the target until one ends.
func stream(w http.ResponseWriter, r *http.Request, target io.ReadWriteCloser) {
	defer target.Close() //nolint:errcheck // it has ended
	upgrader := websocket.Upgrader{
		Subprotocols: []string{plainStream}, CheckOrigin: func(*http.Request) bool { return true },
	}
	socket, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return // the upgrader has answered
	}
	defer socket.Close() //nolint:errcheck // it has ended
	go func() {
		defer target.Close() //nolint:errcheck // the client has ended
		for {
			_, message, err := socket.NextReader()
			if err == nil {
				_, err = io.Copy(target, message)
			}
			if err != nil {
				return
			}
		}
	}()
	buffer := make([]byte, 32<<10)
	for {
		n, err := target.Read(buffer)
		if n > 0 && socket.WriteMessage(websocket.BinaryMessage, buffer[:n]) != nil || err != nil {
			return
		}
	}
}
