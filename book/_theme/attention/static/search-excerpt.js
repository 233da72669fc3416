// Sphinx's search, told two things: on file:// a page cannot fetch others, so results carry no excerpt there;
// and an excerpt holds each formula once, though a page holds it for the eye, for the ear and as source.
"use strict";
if (location.protocol === "file:") DOCUMENTATION_OPTIONS.SHOW_SEARCH_SUMMARY = false;

Search.htmlToText = (html, anchor) => {
  const page = new DOMParser().parseFromString(html, "text/html");
  for (const part of page.querySelectorAll(".headerlink, script, style, noscript, svg, .katex-html, annotation")) part.remove();
  const main = page.querySelector("main");
  const place = anchor && page.getElementById(decodeURIComponent(anchor.slice(1)));
  return (place || main)?.textContent ?? "";
};
