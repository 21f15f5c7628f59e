package exporter

import (
	"io"
	"strconv"
	"strings"
)

// ContentType is the content type of the text format of Prometheus.
const ContentType = "text/plain; version=0.0.4; charset=utf-8"

// series holds the samples of each metric family, by name. It leaves out duplicate series, because Prometheus
// would refuse the whole response.
type series struct {
	samples map[string][]sample
	seen    map[string]bool
}

type sample struct {
	labels string
	value  float64
}

func newSeries() *series { return &series{samples: map[string][]sample{}, seen: map[string]bool{}} }

// add adds a sample. names and values are the labels in pairs.
func (s *series) add(metric string, value float64, names, values []string) {
	var b strings.Builder
	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(name)
		b.WriteString(`="`)
		_, _ = labelEscapes.WriteString(&b, values[i])
		b.WriteByte('"')
	}
	labels := b.String()
	if key := metric + "{" + labels; !s.seen[key] {
		s.seen[key] = true
		s.samples[metric] = append(s.samples[metric], sample{labels, value})
	}
}

// labelEscapes escapes label values as the text format requires.
var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// write writes the text format: the families in the order of Metrics, and the samples in the order they were
// added.
func (s *series) write(w io.Writer) error {
	var b []byte
	for _, m := range Metrics() {
		if len(s.samples[m.Name]) == 0 {
			continue
		}
		b = append(b, "# HELP "+m.Name+" "+m.Help+"\n# TYPE "+m.Name+" gauge\n"...)
		for _, sample := range s.samples[m.Name] {
			b = append(b, m.Name...)
			if sample.labels != "" {
				b = append(b, '{')
				b = append(b, sample.labels...)
				b = append(b, '}')
			}
			b = append(b, ' ')
			b = strconv.AppendFloat(b, sample.value, 'f', -1, 64)
			b = append(b, '\n')
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	return nil
}
