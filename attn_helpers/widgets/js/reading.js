// @ts-check
// A sentence as typed: cut into words, each with its number or the nearest known word. Without a page.
// Python twin: attn_helpers.corpus.tokenize, with the same names for its parts.

const MARK = "(?:(?![\\u{11000}-\\u{10ffff}])\\p{M})";
const WORD = "[\\p{L}\\p{N}]";
const LETTER = `${WORD}${MARK}*`;
const ALONE = "[\\u3005-\\u3007\\u3040-\\u30ff\\u3400-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{3ffff}]";
const TOKEN = new RegExp(
  [
    `(?:qu|jusqu|lorsqu|puisqu|quoiqu|[cdjlmnst])'(?=${WORD})`,
    "(?:qu|[cdjlmnst])'(?=\\s|$)",
    `'s(?!${WORD})`,
    `${ALONE}${MARK}*`,
    `(?!${ALONE})${LETTER}(?:(?!'s(?!${WORD})|${ALONE})(?:['·-](?!${ALONE}))?${LETTER})*`,
    `\\S${MARK}*(?:\\u200d\\S${MARK}*)*`,
  ].join("|"),
  "gu",
);

/** Words and signs, in lower case and composed form. @param {string} text @returns {string[]} */
export function tokenize(text) {
  const lowered = text.normalize("NFC").toLowerCase().normalize("NFC");
  const seen = lowered.replace(/[’ʼ]/g, "'").replace(/(?![\t\n\r\u200d])[\p{Cc}\p{Cf}]/gu, "");
  return seen.match(TOKEN) ?? [];
}

/** How many letters to put in, take out or change. @param {string[]} a @param {string[]} b */
function distance(a, b) {
  let row = b.map((_, j) => j + 1);
  row.unshift(0);
  a.forEach((letter, i) => {
    const next = [i + 1];
    for (let j = 0; j < b.length; j++) next.push(Math.min(next[j] + 1, row[j + 1] + 1, row[j] + (letter === b[j] ? 0 : 1)));
    row = next;
  });
  return row[b.length];
}

/** The known word that is spelt most like it, the more frequent of two; none if less than half of the letters agree.
 * @param {string} word @param {string[]} known from frequent to rare @returns {string | null} */
export function nearest(word, known) {
  const letters = [...word].slice(0, 40);
  let [found, least] = [/** @type {string | null} */ (null), Math.floor(letters.length / 2) + 1];
  for (const other of known) {
    const far = Math.abs(other.length - letters.length) < least ? distance(letters, [...other]) : least;
    if (far < least) [found, least] = [other, far];
  }
  return found;
}

const FIRST_WORD = 4; // the numbers below mean padding, begin, end, unknown
export const [END, UNKNOWN] = [2, 3];

/** @type {WeakMap<string[], Map<string, number>>} */
const numbered = new WeakMap();

/** Numbers of words, unknown ones UNKNOWN, and the end of sentence. @param {string[]} tokens
 * @param {string[]} names by number @returns {number[]} */
export function idsOf(tokens, names) {
  if (!numbered.has(names)) numbered.set(names, new Map(names.map((name, id) => [name, id])));
  const ids = numbered.get(names);
  return [...tokens.map((token) => Math.max(ids?.get(token) ?? UNKNOWN, UNKNOWN)), END];
}

/** @param {string[]} names by number */
export const wordsKnown = (names) => names.slice(FIRST_WORD);
