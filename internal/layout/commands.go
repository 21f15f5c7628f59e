package layout

import (
	"regexp"
	"strings"
)

var (
	// comment matches a shell comment at the end of a command line.
	comment = regexp.MustCompile(`\s+#.*$`)
	// inline matches a command of hcctl within a sentence.
	inline = regexp.MustCompile("`(hcctl [^`]+)`")
)

// CommandLines returns the command lines of a page: those in indented blocks, and those after "$ " in fenced blocks. A
// line that ends with a backslash continues in the next one.
func CommandLines(page string) []string {
	var found []string
	fenced, block, continued := false, false, false
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		text := strings.TrimSpace(line)
		command, prompted := strings.CutPrefix(text, "$ ")
		indented := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t")
		switch {
		case strings.HasPrefix(text, "```"):
			fenced, block = !fenced, false
			continue
		case text == "":
			block, continued = true, false // an indented block begins after an empty line
			continue
		case fenced && !prompted && !continued || !fenced && (!indented || !block):
			block = indented && block
			continue
		}
		end := len(found) - 1
		if continued {
			found[end] = strings.TrimSuffix(found[end], "\\") + command
		} else if !strings.HasPrefix(command, "#") {
			found = append(found, command)
			end++
		}
		if continued = end >= 0 && strings.HasSuffix(found[end], "\\"); !continued && end >= 0 {
			found[end] = comment.ReplaceAllString(found[end], "")
		}
	}
	return found
}

// InlineCommands returns the hcctl commands within the sentences of a page.
func InlineCommands(page string) []string {
	var found []string
	for _, m := range inline.FindAllStringSubmatch(page, -1) {
		found = append(found, m[1])
	}
	return found
}
