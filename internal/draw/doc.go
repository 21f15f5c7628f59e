// Package draw makes the pictures of hcctl: one HTML page that needs nothing but itself.
//
// Timelines, graphs, density runs and benchmarks share it. A page has no scripts, no fonts and no links to the net, and
// says so to the browser by its Content-Security-Policy. It follows the browser's choice of dark or light, and fits
// screens from 320 pixels on. Whatever a picture shows by position or colour, a word on the page says, too.
//
// All text is escaped here, by package html, so that callers hand in what they have read as it is.
//
// It is a package of our own because no library serves: svgo has a licence that is not allowed here (CC BY 4.0),
// go-chart and charts bring fonts and rasterizers and draw neither timelines nor graphs, and graphviz is a program of
// 8 MB.
package draw
