// Async functions as esbuild lowers them: generators, run by a helper.

/** Puts the SDK's runner in the place of esbuild's helper, line for line. */
export function ownAsync(code) {
  const helper = /^var __async = [\s\S]*?^\};$/m.exec(code);
  if (helper === null) return code;
  const blank = "\n".repeat(helper[0].split("\n").length - 1);
  return code.replace(helper[0], `var __async = (self, args, generator) => globalThis.__runAsync(self, args, generator);${blank}`);
}

/** A line that calls the helper, and what stands before its generator. */
const CALL = /^(.*__async\((?:this|null), (?:null|arguments|\[.*\]), function\*) \(/;

/** What a function is called: before its body (`name(…) {`, `function name(…) {`), or before an arrow on the same line. */
const BEFORE = [/function\s*([\w$]+)\s*\(/, /([\w$]+)\s*[=:]\s*function\s*\(/, /^\s*(?:static\s+)?#?([\w$]+)\s*\(.*\{\s*$/];
const ARROW = [/([\w$]+)\s*[=:]\s*(?:[\w$]+|\([^()]*\))\s*=>\s*__async/];

/** Names the generator of an async function after it, so that a stack shows the author's name. */
export function nameGenerators(code) {
  const lines = code.split("\n");
  return lines
    .map((line, at) => {
      const call = CALL.exec(line);
      if (call === null) return line;
      const [head, names] = /^\s*return __async/.test(line) ? [lines[at - 1], BEFORE] : [line, ARROW];
      const name = names.map((pattern) => pattern.exec(head)?.[1]).find((found) => found !== undefined);
      return name === undefined ? line : line.replace(call[1], `${call[1]} ${name}$async`);
    })
    .join("\n");
}
