package process

import (
	"os"
	"regexp"
	"slices"
	"strings"
)

// maxLastLines is the number of lines that tell why a child ended, maxLine that of the characters of each.
const maxLastLines, maxLine = 5, 200

// fatal matches the line with the reason of a crash. Stacks follow it.
var fatal = regexp.MustCompile(`^(F[0-9]{4} |panic: |fatal error: )`)

// lastLines returns the last lines of a log, after an offset, in one line: from the reason of a crash on, else the end.
func lastLines(path string, offset int64) string {
	data, err := os.ReadFile(path) // #nosec G304 -- one of our own logs
	if err != nil {
		return err.Error()
	}
	text := strings.TrimSpace(string(data[min(offset, int64(len(data))):]))
	if text == "" {
		return "it wrote nothing"
	}
	lines := strings.Split(text, "\n")
	first := max(0, len(lines)-maxLastLines)
	if i := slices.IndexFunc(lines, fatal.MatchString); i >= 0 {
		first = i
	}
	lines = lines[first:min(len(lines), first+maxLastLines)]
	for i, line := range lines {
		if len(line) > maxLine {
			lines[i] = line[:maxLine] + "..."
		}
	}
	return strings.Join(lines, " | ")
}
