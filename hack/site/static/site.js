"use strict";
// Pages open from a disk too, so nothing is fetched: data come as scripts.
(() => {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const kept = () => { try { return localStorage.getItem("hcctl-theme"); } catch { return null; } };
  const paint = () => { document.documentElement.dataset.theme = kept() || (dark.matches ? "dark" : "light"); };
  paint();
  dark.addEventListener("change", paint);

  const script = (src, ready, failed) => {
    const s = document.createElement("script");
    s.src = src;
    s.onload = ready;
    s.onerror = failed;
    document.head.append(s);
  };

  addEventListener("DOMContentLoaded", () => {
    const root = document.querySelector(".brand").getAttribute("href").replace(/index\.html$/, "");
    const el = id => document.getElementById(id);

    el("theme").onclick = () => {
      const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
      try { localStorage.setItem("hcctl-theme", next); } catch { /* a private window keeps nothing */ }
      document.documentElement.dataset.theme = next;
    };

    const menu = el("menu"), button = el("open-menu");
    const show = open => { menu.classList.toggle("open", open); button.setAttribute("aria-expanded", open); };
    button.onclick = () => show(!menu.classList.contains("open"));
    const here = menu.querySelector("[aria-current]");
    if (here) menu.scrollTop = Math.max(0, here.offsetTop - menu.clientHeight / 2);

    const select = el("version");
    script(root + "../versions.js", () => {
      if (!Array.isArray(window.hcctlVersions)) return;
      select.replaceChildren(...window.hcctlVersions.map(v => new Option(v, v, false, v === select.dataset.version)));
    });
    // The same page of the other version, or its first page where it has no such page.
    select.onchange = () => {
      const other = root + "../" + encodeURIComponent(select.value) + "/";
      const base = new URL(root || "./", location.href).href;
      const page = location.href.split("#")[0].slice(base.length);
      const go = pages => { location.href = other + (pages.includes(page) ? page : "index.html"); };
      script(other + "pages.js", () => go(window.hcctlPages || []), () => go([]));
    };

    for (const pre of document.querySelectorAll("pre")) {
      const copy = document.createElement("button");
      copy.className = "copy";
      copy.textContent = "Copy";
      copy.onclick = () => {
        const range = document.createRange();
        range.selectNodeContents(pre.querySelector("code") || pre);
        getSelection().removeAllRanges();
        getSelection().addRange(range);
        document.execCommand("copy");
        getSelection().removeAllRanges();
        copy.textContent = "Copied";
        setTimeout(() => { copy.textContent = "Copy"; }, 1500);
      };
      pre.append(copy);
      pre.tabIndex = 0;
    }

    search(el("search"), el("found"), root);
  });

  // marked is the text with the words marked, from shortly before the first.
  const marked = (text, words) => {
    const low = text.toLowerCase();
    const first = Math.max(0, Math.min(...words.map(w => low.indexOf(w)).filter(i => i >= 0), text.length) - 40);
    const cut = (first > 0 ? "… " : "") + text.slice(first, first + 180);
    const parts = [], lowCut = cut.toLowerCase();
    for (let at = 0; at < cut.length;) {
      const next = words.map(w => [lowCut.indexOf(w, at), w.length]).filter(n => n[0] >= 0).sort((a, b) => a[0] - b[0])[0];
      if (!next) { parts.push(cut.slice(at)); break; }
      parts.push(cut.slice(at, next[0]));
      const m = document.createElement("mark");
      m.textContent = cut.slice(next[0], next[0] + next[1]);
      parts.push(m);
      at = next[0] + next[1];
    }
    return parts;
  };

  const find = (query) => {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return { words, hits: [] };
    const hits = [];
    for (const s of window.hcctlSearch) {
      const page = s.p.toLowerCase(), heading = s.h.toLowerCase(), text = s.x.toLowerCase();
      let score = 0;
      for (const w of words) {
        const n = (heading.includes(w) ? 20 : 0) + (page.includes(w) ? 10 : 0) + Math.min(5, text.split(w).length - 1);
        if (!n) { score = 0; break; }
        score += n;
      }
      if (score) hits.push([score + (text.includes(query.toLowerCase()) ? 3 : 0), s]);
    }
    return { words, hits: hits.sort((a, b) => b[0] - a[0]).slice(0, 12).map(h => h[1]) };
  };

  const search = (input, list, root) => {
    let loading = false;
    const render = () => {
      const { words, hits } = window.hcctlSearch ? find(input.value) : { words: [], hits: [] };
      list.hidden = !input.value.trim() || !window.hcctlSearch;
      list.replaceChildren(...hits.map(s => {
        const item = document.createElement("li"), a = document.createElement("a"), head = document.createElement("strong"),
          text = document.createElement("span");
        a.href = root + s.u;
        head.textContent = s.p === s.h ? s.p : s.p + " › " + s.h;
        text.append(...marked(s.x, words));
        a.append(head, text);
        item.append(a);
        return item;
      }));
      if (!hits.length) {
        const none = document.createElement("p");
        none.textContent = "Nothing found.";
        list.append(none);
      }
    };
    const load = () => {
      if (loading) return;
      loading = true;
      script(root + "search-index.js", render);
    };
    input.onfocus = load;
    input.oninput = () => { load(); render(); };
    const move = by => {
      const all = [...list.querySelectorAll("a")], at = all.indexOf(document.activeElement);
      const next = all[at + by];
      (next || input).focus();
    };
    document.addEventListener("keydown", e => {
      const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(e.target.tagName);
      if (e.key === "/" && !typing) { e.preventDefault(); input.focus(); }
      if (e.key === "Escape") { list.hidden = true; input.blur(); }
      if (!list.hidden && e.key === "ArrowDown") { e.preventDefault(); move(1); }
      if (!list.hidden && e.key === "ArrowUp") { e.preventDefault(); move(-1); }
      if (e.key === "Enter" && e.target === input) { const first = list.querySelector("a"); if (first) first.click(); }
    });
    document.addEventListener("click", e => { if (!e.target.closest(".search")) list.hidden = true; });
  };
})();
