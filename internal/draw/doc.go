// Package draw creates hcctl's pictures: each is one self-contained HTML page.
//
// Timelines, graphs, density runs and benchmarks share it. A page has no scripts, no fonts and no external links, and
// enforces that by its Content-Security-Policy. It follows the browser's dark or light mode, and fits screens from 320
// pixels on. Any information given by position or colour is also on the page as text.
//
// All text is escaped here, by package html, so callers pass unescaped text.
//
// hcctl has its own package because no library fits: svgo has a licence that is not allowed here (CC BY 4.0), go-chart
// and charts bring fonts and rasterizers and draw neither timelines nor graphs, and graphviz is a program of 8 MB.
package draw
