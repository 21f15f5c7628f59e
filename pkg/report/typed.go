package report

import (
	"io"
	"os"
	"sync"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// typing keeps what a user types off a terminal on which a display moves: each Enter would move the display down by a
// line and leave one behind.
var typing struct {
	sync.Mutex
	show func()
}

// hideTyped keeps typed characters off the terminal until ShowTyped. It does nothing where w is no terminal, or one
// that another process has in the foreground.
func hideTyped(w io.Writer) {
	f, ok := sanitize.Unwrap(w).(*os.File)
	if !ok {
		return
	}
	typing.Lock()
	defer typing.Unlock()
	if typing.show == nil {
		typing.show = withoutEcho(int(f.Fd()))
	}
}

// ShowTyped has the terminal show again what is typed. A process that exits without closing its display calls it, too.
func ShowTyped() {
	typing.Lock()
	defer typing.Unlock()
	if typing.show != nil {
		typing.show()
	}
	typing.show = nil
}
