// Sphinx's search, told two things: on file://, where a page cannot fetch others, their words come in a script;
// and an excerpt holds each formula once, though a page holds it for the eye, for the ear and as source.
"use strict";
if (location.protocol === "file:") {
  const root = new URL(document.documentElement.dataset.content_root, location.href).href;
  const pages = new Promise((resolve) => {
    window.attnPages = resolve;
    document.head.append(Object.assign(document.createElement("script"), { src: `${root}_static/search-pages.js` }));
  });
  window.fetch = async (address) => {
    const name = new URL(address, location.href).href.slice(root.length).split("#")[0];
    return { text: async () => (await pages)[decodeURIComponent(name)] };
  };
}

Search.htmlToText = (html, anchor) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const part of page.querySelectorAll(".headerlink, script, style, noscript, svg, .katex-html, annotation")) part.remove();
  for (const block of page.querySelectorAll("td, th, dt, dd, li, p, pre")) block.append(" ");
  const main = page.querySelector("main");
  const place = anchor && page.getElementById(decodeURIComponent(anchor.slice(1)));
  return (place || main)?.textContent ?? "";
};
