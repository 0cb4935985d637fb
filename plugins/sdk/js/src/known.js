// Keys that are given by their names: a mistyped one is an error that names the nearest there is.

/** What other libraries call a key that is there. */
const ELSEWHERE = { headers: "fields", data: "body" };

/** A set of keys, to be asked by `in`. */
export function keys(names) {
  const set = { __proto__: null };
  for (const name of names) set[name] = name;
  return set;
}

/** The error for a key that is none of `known`: what it is of, and what may have been meant. */
export function unknown(what, key, known) {
  const names = Object.keys(known);
  const candidates = [...Object.entries(known), ...Object.entries(ELSEWHERE)].filter(([, own]) => own in known);
  let nearest = null;
  let least = Math.max(2, Math.floor(key.length / 3)) + 1;
  for (const [name, own] of candidates) {
    const far = distance(key.toLowerCase(), name.toLowerCase());
    if (far < least) [least, nearest] = [far, own];
  }
  const there = nearest === null ? `expected one of ${names.join(", ")}` : `did you mean ${nearest}?`;
  return new TypeError(`${what}: unknown ${JSON.stringify(key)}, ${there}`);
}

/** How many letters are to be changed, added or left out to make one word of the other. */
function distance(one, other) {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const changed = row[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(changed, row[j] + 1, next[j - 1] + 1));
    }
    row = next;
  }
  return row[other.length];
}
