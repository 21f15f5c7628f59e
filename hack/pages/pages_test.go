// Package pages opens hcctl's pages in a browser and looks at what is drawn. It is a module of its own, so that nothing
// of the browser's driver is needed for hcctl.
package pages

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// look measures what the browser has drawn. It returns a line for each thing that is wrong.
const look = `(() => {
  const wrong = [];
  const wide = document.documentElement.scrollWidth, screen = window.innerWidth;
  if (wide > screen) wrong.push("the page is " + wide + " wide on a screen of " + screen);
  const parts = c => c.match(/[\d.]+/g).map(Number);
  const light = c => { const [r, g, b] = parts(c).map(v => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4 });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b };
  const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05) };
  const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor;
    if (c && !/, 0\)$/.test(c) && c !== "transparent") return c } return "rgb(255, 255, 255)" };
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let n; (n = words.nextNode());) {
    const e = n.parentElement;
    if (!n.data.trim() || e.closest("title")) continue;
    texts++;
    const inDrawing = e.closest("svg"), style = getComputedStyle(e);
    const c = contrast(inDrawing ? style.fill : style.color, ground(e));
    if (c < 4.5) wrong.push("contrast " + c.toFixed(2) + " of " + JSON.stringify(n.data.slice(0, 40)));
  }
  if (!texts) wrong.push("there is no text");
  for (const bar of document.querySelectorAll(".track i[style*=width]")) {
    const t = bar.parentElement.getBoundingClientRect(), b = bar.getBoundingClientRect(), s = bar.style;
    const left = t.left + t.width * parseFloat(s.left) / 100, width = t.width * parseFloat(s.width) / 100;
    if (b.height < 3) wrong.push("a bar is " + b.height + " high");
    if (Math.abs(b.left - left) > 2 || Math.abs(b.width - Math.max(width, 2)) > 2)
      wrong.push("a bar is at " + b.left + "+" + b.width + ", not at " + left + "+" + width);
    if (b.right > t.right + 3) wrong.push("a bar ends " + (b.right - t.right) + " after its track");
    if (contrast(getComputedStyle(bar).backgroundColor, getComputedStyle(bar.parentElement).backgroundColor) < 2.4)
      wrong.push("a bar of " + getComputedStyle(bar).backgroundColor + " hardly shows");
  }
  const boxes = [...document.querySelectorAll("svg.graph rect")].map(r => r.getBoundingClientRect());
  for (let i = 0; i < boxes.length; i++) for (let j = 0; j < i; j++) {
    const a = boxes[i], b = boxes[j];
    if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom) wrong.push("two boxes overlap");
  }
  for (const t of document.querySelectorAll("svg.graph text")) {
    const box = t.parentElement.querySelector("rect").getBoundingClientRect(), w = t.getBoundingClientRect();
    if (w.right > box.right + 1) wrong.push("text sticks out of its box: " + t.textContent);
  }
  for (const row of document.querySelectorAll(".row")) {
    const label = row.querySelector("b"), value = row.querySelector(".value");
    if (!label || !value || !label.textContent) continue;
    const a = label.getBoundingClientRect(), b = value.getBoundingClientRect();
    if (a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
      wrong.push("label and value overlap: " + label.textContent);
  }
  for (const p of document.querySelectorAll("polyline")) if (!p.getBoundingClientRect().width) wrong.push("a line is not drawn");
  return [...new Set(wrong)];
})()`

func TestPages(t *testing.T) {
	dir := os.Getenv("HCCTL_PAGES")
	if dir == "" {
		t.Fatal("HCCTL_PAGES is not set: run make test-pages")
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	if err != nil || len(pages) < 6 {
		t.Fatalf("only %d pages in %s, %v", len(pages), dir, err)
	}
	browser := newBrowser(t)
	for _, page := range pages {
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{360, 1280} {
				name := fmt.Sprintf("%s/%s/%d", strings.TrimSuffix(filepath.Base(page), ".html"), scheme, width)
				t.Run(name, func(t *testing.T) { open(t, browser, page, scheme, width) })
			}
		}
	}
}

// newBrowser starts a browser that lives until the test ends.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox, chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-background-networking", true), chromedp.Flag("disable-component-update", true))
	if path := os.Getenv("HCCTL_CHROMIUM"); path != "" {
		options = append(options, chromedp.ExecPath(path))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	browser, cancel := chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	if err := chromedp.Run(browser); err != nil {
		t.Fatalf("no Chromium, the browser that these tests open pages in (HCCTL_CHROMIUM names it): %v", err)
	}
	return browser
}

// open opens a page in a tab of its own.
func open(t *testing.T, browser context.Context, page, scheme string, width int64) {
	tab, cancel := chromedp.NewContext(browser)
	defer cancel()
	var asked, said []string
	chromedp.ListenTarget(tab, func(event any) {
		switch e := event.(type) {
		case *network.EventRequestWillBeSent:
			asked = append(asked, e.Request.URL)
		case *runtime.EventConsoleAPICalled, *runtime.EventExceptionThrown:
			said = append(said, fmt.Sprintf("%T", e))
		}
	})
	address := (&url.URL{Scheme: "file", Path: page}).String()
	var wrong []string
	var ground string
	err := chromedp.Run(tab, network.Enable(), runtime.Enable(),
		emulation.SetDeviceMetricsOverride(width, 800, 1, width < 600),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}),
		chromedp.Navigate(address), chromedp.Evaluate(look, &wrong),
		chromedp.Evaluate(`getComputedStyle(document.body).backgroundColor`, &ground))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range wrong {
		t.Error(line)
	}
	if dark := "rgb(21, 24, 28)"; (ground == dark) != (scheme == "dark") {
		t.Errorf("the ground is %s", ground)
	}
	for _, u := range asked {
		if u != address {
			t.Errorf("the page asks for %s", u)
		}
	}
	if len(asked) == 0 || len(said) > 0 {
		t.Errorf("%d requests, console: %v", len(asked), said)
	}
}
