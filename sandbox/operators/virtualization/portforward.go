package virtualization

import (
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/hcctl/hcctl/sandbox/operators/internal/framework"
)

// portAnnotation with a port at its end is where connections to that port of a virtual machine go: no machine runs in
// the sandbox. Its value is an address of this machine, such as 127.0.0.1:2222.
const portAnnotation = "sandbox.hcctl.dev/port-"

// plainStream is the WebSocket subprotocol of KubeVirt's streams (kubevirt.io/client-go v1.8).
const plainStream = "plain.kubevirt.io"

// dialTime bounds a connection to what stands for a port.
const dialTime = 5 * time.Second

// portForward answers GET .../namespaces/NS/virtualmachineinstances/NAME/portforward/PORT[/tcp] as virt-api does, and
// returns false for every other path. The messages are made up.
func (v *virtualization) portForward(w http.ResponseWriter, r *http.Request) bool {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/apis/"+subresourcesGroup+"/"+subresourcesV+"/"), "/")
	if len(parts) < 6 || parts[0] != "namespaces" || parts[2] != "virtualmachineinstances" || parts[4] != "portforward" {
		return false
	}
	vmi := &kubevirtv1.VirtualMachineInstance{}
	err := v.Client.Get(r.Context(), types.NamespacedName{Namespace: parts[1], Name: parts[3]}, vmi)
	switch {
	case framework.IsGone(err):
		http.Error(w, "virtualmachineinstance.kubevirt.io "+parts[3]+" not found", http.StatusNotFound)
		return true
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return true
	case vmi.Status.Phase != kubevirtv1.Running:
		http.Error(w, "VMI is not running", http.StatusBadRequest)
		return true
	}
	target, err := net.DialTimeout("tcp", vmi.Annotations[portAnnotation+parts[5]], dialTime)
	if err != nil {
		http.Error(w, "dialing VM: connection refused", http.StatusInternalServerError)
		return true
	}
	defer target.Close() //nolint:errcheck // it has ended
	upgrader := websocket.Upgrader{
		Subprotocols: []string{plainStream}, CheckOrigin: func(*http.Request) bool { return true },
	}
	socket, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return true // the upgrader has answered
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
			return true
		}
	}
}
