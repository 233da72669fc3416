// @ts-check
// The code beside the picture. A test runs every line of it: what is printed is what was computed.
import { sameForAll } from "./mask.js";

/** @param {boolean} value */
const literal = (value) => (value ? "True" : "False");

/** A tensor as Python writes it, one row of keys in a line. @param {any[]} part @param {string} indent @returns {string} */
function brackets(part, indent) {
  if (!Array.isArray(part[0])) return `[${part.map(literal).join(", ")}]`;
  const next = `${indent} `;
  const between = `,\n${next}`;
  return `[${part.map((inner) => brackets(inner, next)).join(between)}]`;
}

/** @param {string} name @param {any[]} values @param {string} about */
const tensor = (name, values, about) => `# ${about}\n${name} = torch.tensor([\n    ${brackets(values, "   ").slice(1)})\n`;

/** One grid in PyTorch's two conventions. @param {import("./mask.js").Mask} mask */
function conventions(mask) {
  const same = sameForAll(mask);
  const keep = mask.map((rows) => (same ? [rows[0]] : rows));
  const drop = keep.map((rows) => rows.map((row) => row.map((may) => !may)));
  const [sizes, opposite, option] = same
    ? ["(B, 1, S)", "(B, S) = ~mask", "key_padding_mask"]
    : ["(B, T, S)", "(B · heads, T, S) = ~mask", "attn_mask"];
  const mine = tensor("mask", keep, sizes);
  const theirs = tensor("drop", same ? drop.map(([row]) => row) : drop, opposite);
  return [
    `${mine}output = F.scaled_dot_product_attention(\n    query, key, value,\n    attn_mask=mask)`,
    `${theirs}output, weights = attention(\n    query, key, value,\n    ${option}=drop)`,
  ];
}

/** @param {string} type */
const half = (type) =>
  `hide = (~mask).to(torch.${type}) * -1e9\nweights = torch.softmax(\n    scores.to(torch.${type}) + hide, dim=-1)`;

/** @type {Record<string, string>} */
const BROKEN = {
  no_mask: "weights = torch.softmax(scores, dim=-1)",
  flipped: "weights = masked_softmax(scores, ~mask)",
  after_softmax: "weights = torch.softmax(scores, dim=-1) * mask",
  finite: "weights = torch.softmax(\n    scores.masked_fill(~mask, -1e6), dim=-1)",
};

/** The code on the left card and on the right one. @param {string} breakage @param {string} floatType
 * @param {import("./mask.js").Mask} mask @returns {string[]} */
export function codeOf(breakage, floatType, mask) {
  if (breakage === "none") return conventions(mask);
  return [BROKEN[breakage] ?? half(floatType), "weights = masked_softmax(scores, mask)"];
}
