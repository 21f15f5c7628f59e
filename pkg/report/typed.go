package report

import (
	"io"
	"os"
	"sync"

	"github.com/hcctl/hcctl/internal/sanitize"
)

// typing suppresses the echo of typed characters on a terminal with a live display: each Enter would move the display
// down and leave a line behind.
var typing struct {
	sync.Mutex
	show func()
}

// hideTyped switches off the echo until ShowTyped. It does nothing if w is not a terminal, or if another process is in
// the terminal's foreground.
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

// ShowTyped switches the echo of the terminal on again. Call it also before an exit without closing the display.
func ShowTyped() {
	typing.Lock()
	defer typing.Unlock()
	if typing.show != nil {
		typing.show()
	}
	typing.show = nil
}
