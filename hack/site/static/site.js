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
    document.addEventListener("keydown", e => {
      if (e.key === "Escape" && menu.classList.contains("open")) { show(false); button.focus(); }
    });
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
    }
    // What scrolls by itself is reached by the Tab key, and nothing else is.
    const reachable = () => {
      for (const box of document.querySelectorAll("article pre, .scroll")) {
        if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
        else box.removeAttribute("tabindex");
      }
    };
    reachable();
    addEventListener("resize", reachable);

    search(el("search"), el("found"), el("found-count"), root);
  });

  // marked is the text with the words marked, from shortly before the first.
  const marked = (text, words) => {
    const low = text.toLowerCase();
    const at = words.map(w => low.indexOf(w)).filter(i => i >= 0);
    const first = at.length ? Math.max(0, Math.min(...at) - 40) : 0;
    const cut = (first > 0 ? "… " : "") + text.slice(first, first + 180);
    const parts = [], lowCut = cut.toLowerCase();
    for (let from = 0; from < cut.length;) {
      const next = words.map(w => [lowCut.indexOf(w, from), w.length]).filter(n => n[0] >= 0).sort((a, b) => a[0] - b[0])[0];
      if (!next) { parts.push(cut.slice(from)); break; }
      parts.push(cut.slice(from, next[0]));
      const m = document.createElement("mark");
      m.textContent = cut.slice(next[0], next[0] + next[1]);
      parts.push(m);
      from = next[0] + next[1];
    }
    return parts;
  };

  // stem cuts an ending, so that "rotate" finds "rotation" and "keys" finds "key".
  const stem = w => (w.length > 3 ? w.replace(/(ions?|ings?|ed|es|e|s)$/, "") : w);

  // tokens are the words of a text. StorageClass counts as one word and as two.
  const tokens = text => (text.match(/[A-Za-z]+|[0-9]+/g) || []).flatMap(w => {
    const parts = w.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) || [];
    return [w, ...(parts.length > 1 ? parts : [])].map(t => stem(t.toLowerCase()));
  });

  // The pages about how hcctl is made come after those for users.
  const inner = /^(CHANGELOG|CODE_OF_CONDUCT|CONTRIBUTING|MAINTAINERS|SECURITY|contracts|e2e\/|docs\/(dev\/|demo\.))/;

  // Words that say nothing of what is looked for.
  const empty = new Set("a an and are as at be by can do does for from get how i in into is it my not of on or so that the to what when why with".split(" "));

  // prepare counts the words of each section, once.
  const prepare = () => {
    if (window.hcctlSearch.seen) return window.hcctlSearch.seen;
    const seen = new Map();
    for (const s of window.hcctlSearch) {
      s.title = new Set(tokens(s.p));
      s.head = s.h === s.p ? s.title : new Set(tokens(s.h));
      s.key = new Set(tokens(s.k || ""));
      s.count = new Map();
      const words = tokens(s.x);
      for (const t of words) s.count.set(t, (s.count.get(t) || 0) + 1);
      s.long = 0.4 + 0.6 * words.length / 80;
      for (const t of new Set([...s.title, ...s.head, ...s.key, ...s.count.keys()])) seen.set(t, (seen.get(t) || 0) + 1);
    }
    return (window.hcctlSearch.seen = seen);
  };

  // find ranks sections by their words: rare ones count more, and those of titles more than those of the text.
  const find = query => {
    const asked = query.toLowerCase().trim(), all = asked.split(/[^a-z0-9]+/).filter(Boolean);
    const telling = all.filter(w => !empty.has(w)), words = telling.length ? telling : all;
    if (!words.length) return { words, hits: [] };
    const seen = prepare(), sections = window.hcctlSearch.length;
    // The last word may be one that is still being typed.
    const wanted = [...new Set(words.map(stem))].map(word => {
      const alike = new Set([word]);
      if (word.length > 2) for (const t of seen.keys()) if (t.startsWith(word)) alike.add(t);
      return { word, alike, rare: Math.log(2 + sections / (2 + (seen.get(word) || 0))) };
    });
    const hits = [];
    for (const s of window.hcctlSearch) {
      let score = 0, found = 0, whole = 0;
      for (const { word, alike, rare } of wanted) {
        let best = 0;
        for (const t of alike) {
          const n = s.count.get(t) || 0, exact = t === word ? 1 : 0.5;
          best = Math.max(best, exact * ((s.title.has(t) ? 2 : 0) + (s.head.has(t) ? 2 : 0) + (s.key.has(t) ? 3 : 0) + 2 * n / (n + 1.2 * s.long)));
        }
        whole += rare;
        if (best) found += rare;
        score += rare * best;
      }
      if (found < whole / 2) continue;
      score *= found / whole;
      if (s.h.toLowerCase() === asked) score *= s.p === s.h ? 4 : 2;
      else if (words.length > 1 && (s.h + " " + s.x).toLowerCase().includes(asked)) score *= 1.2;
      if (s.p === s.h) score *= 1.1;
      if (inner.test(s.u)) score *= 0.5;
      else if (s.u.startsWith("docs/runbook.html#")) score *= 0.8;
      hits.push([score, s]);
    }
    // A page is listed twice at most.
    const pages = new Map();
    return { words, hits: hits.sort((a, b) => b[0] - a[0]).map(h => h[1]).filter(s => {
      const n = (pages.get(s.p) || 0) + 1;
      pages.set(s.p, n);
      return n <= 2;
    }).slice(0, 12) };
  };

  const search = (input, list, count, root) => {
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
        const none = document.createElement("li");
        none.className = "none";
        none.textContent = "Nothing found. Try fewer words, or the name of a flag, a check or a condition.";
        list.append(none);
      }
      input.setAttribute("aria-expanded", !list.hidden);
      count.textContent = list.hidden ? "" : hits.length + (hits.length === 1 ? " result" : " results");
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
      if (e.key === "Escape") {
        if (!list.hidden && list.contains(document.activeElement)) input.focus();
        else input.blur();
        list.hidden = true;
        input.setAttribute("aria-expanded", false);
      }
      if (!list.hidden && e.key === "ArrowDown") { e.preventDefault(); move(1); }
      if (!list.hidden && e.key === "ArrowUp") { e.preventDefault(); move(-1); }
      if (e.key === "Enter" && e.target === input) { const first = list.querySelector("a"); if (first) first.click(); }
    });
    document.addEventListener("click", e => { if (!e.target.closest(".search")) list.hidden = true; });
  };
})();
