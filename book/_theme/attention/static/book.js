// The page's own behaviour: theme, contents drawer, search key, full screen, copying code.
(() => {
  "use strict";
  const page = document.documentElement;
  const find = (selector) => document.querySelector(selector);

  // Light or dark: follows the system until the reader chooses.
  const KEY = "attn-theme";
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const stored = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null; // storage may be forbidden; the choice then lasts for this page
    }
  };
  const theme = find(".tool.theme");
  theme.hidden = false;
  theme.addEventListener("click", () => {
    page.dataset.theme = page.dataset.theme === "dark" ? "light" : "dark";
    try {
      localStorage.setItem(KEY, page.dataset.theme);
    } catch {}
  });
  dark.addEventListener("change", () => {
    if (!stored()) page.dataset.theme = dark.matches ? "dark" : "light";
  });
  addEventListener("storage", (event) => {
    if (event.key === KEY && event.newValue) page.dataset.theme = event.newValue;
  });
  // Paper is light.
  addEventListener("beforeprint", () => {
    page.dataset.screen = page.dataset.theme;
    page.dataset.theme = "light";
  });
  addEventListener("afterprint", () => {
    page.dataset.theme = page.dataset.screen;
  });

  // The contents as a drawer on narrow screens.
  const contents = find(".contents");
  const menu = find(".tool.menu");
  const veil = find(".veil");
  const behind = [find(".page"), find(".bar"), find(".skip")];
  const drawer = (open) => {
    contents.classList.toggle("open", open);
    menu.setAttribute("aria-expanded", String(open));
    veil.hidden = !open;
    for (const part of behind) part.inert = open;
    (open ? find(".tool.shut") : menu).focus();
  };
  const isOpen = () => contents.classList.contains("open");
  menu.addEventListener("click", () => drawer(true));
  find(".tool.shut").addEventListener("click", () => drawer(false));
  veil.addEventListener("click", () => drawer(false));
  contents.addEventListener("click", (event) => {
    if (isOpen() && event.target.closest(".sections a")) drawer(false);
  });
  matchMedia("(max-width: 1000px)").addEventListener("change", () => isOpen() && drawer(false));

  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && isOpen()) drawer(false);
    const writing = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (event.key !== "/" || writing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    if (getComputedStyle(menu).display !== "none" && !isOpen()) drawer(true);
    find(".find input").focus();
  });

  const full = find(".tool.fullscreen");
  full.hidden = !document.fullscreenEnabled;
  full.addEventListener("click", () => (document.fullscreenElement ? document.exitFullscreen() : page.requestFullscreen()));

  // Wide code, formulas and tables scroll sideways: let the keyboard reach them. All measuring comes first,
  // so that the page is laid out once.
  const reachable = new ResizeObserver((entries) => {
    const boxes = entries.map(({ target }) => [target, target.scrollWidth > target.clientWidth + 1]);
    for (const [box, wide] of boxes) {
      if (wide) box.tabIndex = 0;
      else if (box.hasAttribute("tabindex")) box.removeAttribute("tabindex");
    }
  });
  for (const box of document.querySelectorAll("pre, div.math, div.scroll")) reachable.observe(box);

  // A copy button on code to run, where the browser lets a page write to the clipboard.
  const copying = (code) => {
    const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "Copy" });
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.querySelector("pre").textContent);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    return button;
  };
  const idle = window.requestIdleCallback ?? setTimeout;
  if (navigator.clipboard) {
    idle(() => {
      for (const code of document.querySelectorAll(".cell_input div[class*='highlight-']")) code.append(copying(code));
    });
  }

  // From a page on disk a browser shows a notebook instead of saving it: its twin script brings the same text.
  const save = (event) => {
    event.preventDefault();
    const { href } = event.currentTarget;
    const name = decodeURIComponent(href.split("/").pop());
    window.attnSave = (text) => {
      const address = URL.createObjectURL(new Blob([text], { type: "application/x-ipynb+json" }));
      Object.assign(document.createElement("a"), { href: address, download: name }).click();
      setTimeout(() => URL.revokeObjectURL(address), 10000);
    };
    const twin = Object.assign(document.createElement("script"), { src: `${href}.js` });
    twin.onload = () => twin.remove();
    twin.onerror = () => location.assign(href);
    document.head.append(twin);
  };
  if (location.protocol === "file:") {
    for (const link of document.querySelectorAll("a[download]")) link.addEventListener("click", save);
  }

  // Mark the section being read.
  const links = new Map([...document.querySelectorAll(".sections a")].map((a) => [a.hash.slice(1), a]));
  const watch = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) links.get(target.id).classList.toggle("reading", isIntersecting);
    },
    { rootMargin: "-20% 0px -75%" },
  );
  for (const id of links.keys()) watch.observe(document.getElementById(decodeURIComponent(id)));
})();
