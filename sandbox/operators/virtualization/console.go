package virtualization

import (
	"bufio"
	"fmt"
	"net"
	"net/http"
	"sync"

	"k8s.io/apimachinery/pkg/types"
)

// consoles are the connections to serial consoles. A new one ends that which is there, as virt-handler does
// (kubevirt.io/kubevirt, pkg/virt-handler/rest/console.go).
type consoles struct {
	mu   sync.Mutex
	open map[types.UID]net.Conn
}

// console answers GET .../namespaces/NS/virtualmachineinstances/NAME/console as virt-api does, and returns false for
// every other path. The machine behind it is played: it prints a prompt, and says again what it is told.
func (v *virtualization) console(w http.ResponseWriter, r *http.Request) bool {
	parts, is := subresourcePath(r, "console")
	if !is {
		return false
	}
	vmi := v.runningInstance(w, r, parts)
	if vmi == nil {
		return true
	}
	here, there := net.Pipe()
	v.consoles.mu.Lock()
	if before := v.consoles.open[vmi.UID]; before != nil {
		_ = before.Close()
	}
	if v.consoles.open == nil {
		v.consoles.open = map[types.UID]net.Conn{}
	}
	v.consoles.open[vmi.UID] = there
	v.consoles.mu.Unlock()
	go playConsole(there, vmi.Name)
	stream(w, r, here)
	return true
}

// playConsole is a machine that waits for somebody to log in, and shuts down at "exit". It colours its name, as systems
// do.
func playConsole(conn net.Conn, name string) {
	defer conn.Close() //nolint:errcheck // it has ended
	prompt := func() error {
		_, err := fmt.Fprintf(conn, "\r\n\x1b[1m%s\x1b[0m login: ", name)
		return err
	}
	if prompt() != nil {
		return
	}
	in := bufio.NewReader(conn)
	for {
		line, err := in.ReadString('\r')
		if err != nil || line == "exit\r" {
			return
		}
		if _, err := fmt.Fprintf(conn, "%s\r\nLogin incorrect\r\n", line[:len(line)-1]); err != nil || prompt() != nil {
			return
		}
	}
}
