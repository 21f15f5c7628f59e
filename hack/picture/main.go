// Command picture runs a program on a terminal of its own and writes what that terminal showed as an animated SVG. make
// picture makes the picture of the README with it: a real run against a sandbox.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/creack/pty"
	"github.com/hinshun/vt10x"
)

func main() {
	out := flag.String("out", "", "the SVG to write")
	columns := flag.Int("columns", 100, "width of the terminal")
	rows := flag.Int("rows", 30, "height of the terminal")
	every := flag.Duration("every", 500*time.Millisecond, "the shortest time between two frames")
	faster := flag.Int("faster", 1, "how many times as fast as the run the picture is")
	title := flag.String("title", "", "what the picture shows, for those who do not see it")
	flag.Parse()
	if *out == "" || flag.NArg() == 0 {
		fmt.Fprintln(os.Stderr, "usage: picture -out FILE [flags] PROGRAM [ARGUMENT ...]")
		os.Exit(2)
	}
	command := exec.Command(flag.Arg(0), flag.Args()[1:]...) //nolint:gosec // its purpose
	frames, err := record(command, *columns, *rows, *every)
	if err == nil {
		err = os.WriteFile(*out, []byte(svg(frames, *columns, *rows, max(1, *faster), *title)),
			0o644) //nolint:gosec // a page for all
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
	fmt.Printf("%s: %d frames of %.0f seconds\n", *out, len(frames), frames[len(frames)-1].at.Seconds())
}

// record runs a program until it ends and returns its screens. It fails if the program fails, because the picture would
// be wrong.
func record(cmd *exec.Cmd, columns, rows int, every time.Duration) ([]frame, error) {
	screen := vt10x.New(vt10x.WithSize(columns, rows))
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: uint16(rows), Cols: uint16(columns)}) //nolint:gosec // small
	if err != nil {
		return nil, err
	}
	begin, chunks := time.Now(), make(chan []byte)
	go func() {
		defer close(chunks)
		for {
			buffer := make([]byte, 16<<10)
			n, err := f.Read(buffer)
			if n > 0 {
				chunks <- buffer[:n]
			}
			if err != nil { // EIO: the program has ended
				return
			}
		}
	}()
	var frames []frame
	tick := time.NewTicker(every)
	defer tick.Stop()
	for open := true; open; {
		select {
		case chunk, more := <-chunks:
			if open = more; !more {
				break
			}
			if _, err := screen.Write(chunk); err != nil {
				return nil, err
			}
			continue
		case <-tick.C:
		}
		frames = appendChanged(frames, snapshot(screen, columns, rows, time.Since(begin)))
	}
	if err := errors.Join(cmd.Wait(), ignoreClosed(f)); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", cmd, err, screen.String())
	}
	return frames, nil
}

func ignoreClosed(c io.Closer) error {
	if err := c.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
		return err
	}
	return nil
}
