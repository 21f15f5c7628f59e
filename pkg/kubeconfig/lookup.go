package kubeconfig

import "fmt"

// Has reports whether a file has a context of one of the entries. An unreadable file has none.
func Has(path string, entries []Entry) bool {
	d, err := readDocument(path)
	if err != nil {
		return false
	}
	for i := range entries {
		if item := d.item(contextKind, entries[i].Context); item != nil {
			if o, ok := ownerOf(value(item, contextKind.key)); ok && o.matches(entries[i].Owner) {
				return true
			}
		}
	}
	return false
}

// ContextsElsewhere returns the contexts of hosted clusters with this name on other management clusters. It only reads
// the file.
func ContextsElsewhere(path string, of Owner) ([]string, error) {
	d, err := readDocument(path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, item := range d.items(contextKind) {
		if o, ok := ownerOf(value(item, contextKind.key)); ok && o.HostedCluster == of.HostedCluster && !o.matches(of) {
			names = append(names, fmt.Sprintf("%s (management cluster %s)", nameOf(item), o.Management))
		}
	}
	return names, nil
}

// readDocument reads a file without the intention to change it. A missing file is an empty document.
func readDocument(path string) (*document, error) {
	data, err := readOnly(path)
	if err != nil {
		return nil, err
	}
	d, err := parse(data)
	if err != nil {
		return nil, &FileError{path, "it is not a kubeconfig that hcctl can read", anotherFile(), err}
	}
	return d, nil
}
