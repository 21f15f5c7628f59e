package process

import (
	"os"
	"regexp"
	"strings"
)

// maxLastLines is the number of lines that tell why a child ended.
const maxLastLines = 5

// fatal matches the line with the reason of a crash. Stacks follow it.
var fatal = regexp.MustCompile(`^(F[0-9]{4} |panic: |fatal error: )`)

// LastLines returns the last lines of a log in one line: from the reason of a crash on, else the end.
func LastLines(path string) string {
	data, err := os.ReadFile(path) // #nosec G304 -- one of our own logs
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	first := max(0, len(lines)-maxLastLines)
	for i, line := range lines {
		if fatal.MatchString(line) {
			first = i
		}
	}
	return strings.Join(lines[first:min(len(lines), first+maxLastLines)], " | ")
}
