// Where the lines of a bundle come from, by its source map.

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Runs of lines of the author's own sources: `[first line, how many, source, first line there]`, lines from 1. */
export function lineTable(map, isAuthors) {
  const own = map.sources.map((source) => (isAuthors(source) ? source : null));
  const table = [];
  let source = 0;
  let original = 0;
  map.mappings.split(";").forEach((segments, at) => {
    let first = null;
    for (const segment of segments === "" ? [] : segments.split(",")) {
      const values = decode(segment);
      if (values.length < 4) continue;
      source += values[1];
      original += values[2];
      first ??= { source: own[source], line: original + 1 };
    }
    if (first === null || first.source === null) return;
    const last = table[table.length - 1];
    const next = last !== undefined && last[0] + last[1] === at + 1 && last[2] === first.source && last[3] + last[1] === first.line;
    if (next) last[1]++;
    else table.push([at + 1, 1, first.source, first.line]);
  });
  return table;
}

/** `src/plugin.js:12`, or null where a line is not the author's. */
export function placeOf(table, line) {
  const run = table.find(([first, count]) => line >= first && line < first + count);
  return run === undefined ? null : `${run[2]}:${run[3] + line - run[0]}`;
}

/** The numbers of a segment: base64 digits of five bits, the lowest first, the sign in the lowest bit. */
function decode(segment) {
  const values = [];
  let value = 0;
  let shift = 0;
  for (const digit of segment) {
    const bits = DIGITS.indexOf(digit);
    value |= (bits & 31) << shift;
    shift += 5;
    if (bits & 32) continue;
    values.push(value & 1 ? -(value >> 1) : value >> 1);
    value = 0;
    shift = 0;
  }
  return values;
}
