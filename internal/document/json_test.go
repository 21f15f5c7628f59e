package document

import (
	"strings"
	"testing"
)

// Values of JSON one after the other keep the lines of the file, however many there are.
func TestReadValuesOfJSON(t *testing.T) {
	const many = 50_000
	all, err := Read([]byte("\n" + strings.Repeat("{\"a\": 1}\n", many)))
	if err != nil || len(all) != many || all[many-1].Line != many+1 || all[many-1].LineOf("a") != many+1 {
		t.Errorf("%d documents, %v", len(all), err)
	}
	_, err = Read([]byte("{\"a\": 1}\n\n{\"b\": 1,\n \"b\": 2}\n"))
	if err == nil || err.Error() != `line 4: field "b" is there twice` {
		t.Errorf("got %v", err)
	}
}
