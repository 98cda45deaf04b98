/** Functions of texts. */

import {
  any,
  fixed,
  FunctionProblem,
  listIn,
  type TemplateFunction,
  textIn,
  toNumber,
  toText,
} from "./function.ts";
import { formatValue, GoFloat, type GoValue } from "./values.ts";

function indented(count: GoValue, text: GoValue): string {
  const space = " ".repeat(Math.min(toNumber(count), 1000));
  return space + textIn(text).replaceAll("\n", `\n${space}`);
}

function trimmed(
  text: string,
  characters: string,
  start: boolean,
  end: boolean,
) {
  let [from, to] = [0, text.length];
  while (start && from < to && characters.includes(text[from]!)) from++;
  while (end && to > from && characters.includes(text[to - 1]!)) to--;
  return text.slice(from, to);
}

/** A Go pattern as one of JavaScript. */
function toPattern(source: GoValue, flags = "u"): RegExp {
  const [, given = "", rest = ""] = /^(?:\(\?([ims]+)\))?([^]*)$/
    .exec(textIn(source)) ?? [];
  try {
    return new RegExp(
      rest.replaceAll("(?P<", "(?<").replaceAll("\\z", "$"),
      flags + given,
    );
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new FunctionProblem(`"${source}" is not a regular expression`);
  }
}

function replaceAll(
  pattern: GoValue,
  text: GoValue,
  replacement: GoValue,
): string {
  return textIn(text).replaceAll(toPattern(pattern, "gu"), (...found) => {
    const names = typeof found.at(-1) === "object" ? found.at(-1) : {};
    const group = (name: string): string =>
      (/^\d+$/.test(name) ? found[Number(name)] : names[name]) ?? "";
    return textIn(replacement).replaceAll(
      /\$\$|\$(\w+)|\$\{(\w+)\}/g,
      (all, plain, braced) =>
        all === "$$" ? "$" : group(String(plain ?? braced)),
    );
  });
}

/** Verbs of `printf` without flags of rare use. */
function print(format: GoValue, ...args: readonly GoValue[]): string {
  let next = 0;
  const out = textIn(format).replaceAll(
    /%(%|([-+0# ]*)(\d+)?(?:\.(\d+))?([a-zA-Z]))/g,
    (_, one, flags = "", width, precision, verb) => {
      if (one === "%") return "%";
      const given = args.length > next;
      const value = args[next++] ?? null;
      if (!given) return `%!${verb}(MISSING)`;
      const text = formatVerb(value, verb, precision, flags) ??
        `%!${verb}(${formatValue(value)})`;
      const length = Number(width ?? 0);
      if (flags.includes("-")) return text.padEnd(length);
      const isZero = flags.includes("0") && /^[-+]?[\d.]/.test(text);
      if (!isZero) return text.padStart(length);
      const sign = /^[-+]/.exec(text)?.[0] ?? "";
      return sign + text.slice(sign.length).padStart(length - sign.length, "0");
    },
  );
  return out;
}

function formatVerb(
  value: GoValue,
  verb: string,
  precision: string | undefined,
  flags: string,
): string | undefined {
  switch (verb) {
    case "v":
      return formatValue(value, "<nil>");
    case "s": {
      if (typeof value === "number" || value instanceof GoFloat) return;
      const text = formatValue(value, "%!s(<nil>)");
      return precision === undefined ? text : text.slice(0, Number(precision));
    }
    case "q":
      return typeof value === "string" ? JSON.stringify(value) : undefined;
    case "d": {
      if (typeof value !== "number") return;
      return flags.includes("+") && value >= 0 ? `+${value}` : String(value);
    }
    case "x":
    case "X": {
      const text = typeof value === "number"
        ? value.toString(16)
        : typeof value === "string"
        ? new TextEncoder().encode(value).toHex()
        : undefined;
      return verb === "X" ? text?.toUpperCase() : text;
    }
    case "f":
      return value instanceof GoFloat
        ? value.value.toFixed(Number(precision ?? 6))
        : undefined;
    case "t":
      return typeof value === "boolean" ? String(value) : undefined;
  }
}

/** `print` puts spaces between values of which none is a text. */
function joinValues(...values: readonly GoValue[]): string {
  return values.map((value, index) => {
    const spaced = index > 0 && typeof value !== "string" &&
      typeof values[index - 1] !== "string";
    return (spaced ? " " : "") + toText(value);
  }).join("");
}

const quoteAll = (quote: (text: string) => string) =>
  any(
    0,
    (...values) =>
      values.filter((one) => one !== null).map((one) => quote(toText(one)))
        .join(" "),
  );

const text = (change: (text: string) => string) =>
  fixed(1, (value) => change(textIn(value)));

/** Functions by name. */
export const strings: Readonly<Record<string, TemplateFunction>> = {
  print: any(0, joinValues),
  println: any(0, (...values) => `${values.map(toText).join(" ")}\n`),
  printf: any(1, print),
  quote: quoteAll(JSON.stringify),
  squote: quoteAll((one) => `'${one}'`),
  upper: text((one) => one.toUpperCase()),
  lower: text((one) => one.toLowerCase()),
  title: text((one) => one.replaceAll(/\b\p{L}/gu, (c) => c.toUpperCase())),
  trim: text((one) => one.trim()),
  nospace: text((one) => one.replaceAll(/\s/g, "")),
  trimAll: fixed(
    2,
    (set, value) => trimmed(textIn(value), textIn(set), true, true),
  ),
  trimPrefix: fixed(2, (prefix, value) => {
    const [start, all] = [textIn(prefix), textIn(value)];
    return all.startsWith(start) ? all.slice(start.length) : all;
  }),
  trimSuffix: fixed(2, (suffix, value) => {
    const [end, all] = [textIn(suffix), textIn(value)];
    return all.endsWith(end) ? all.slice(0, all.length - end.length) : all;
  }),
  replace: fixed(
    3,
    (from, to, value) =>
      textIn(value).replaceAll(textIn(from), () => textIn(to)),
  ),
  contains: fixed(2, (part, value) => textIn(value).includes(textIn(part))),
  hasPrefix: fixed(2, (part, value) => textIn(value).startsWith(textIn(part))),
  hasSuffix: fixed(2, (part, value) => textIn(value).endsWith(textIn(part))),
  repeat: fixed(2, (count, value) => {
    const times = toNumber(count);
    if (times * textIn(value).length > 1_000_000) {
      throw new FunctionProblem("the text is too long");
    }
    return textIn(value).repeat(Math.max(0, times));
  }),
  substr: fixed(3, (from, to, value) => {
    const end = toNumber(to);
    const start = Math.max(0, toNumber(from));
    return textIn(value).slice(start, end < 0 ? undefined : end);
  }),
  trunc: fixed(2, (count, value) => {
    const length = toNumber(count);
    return length < 0
      ? textIn(value).slice(length)
      : textIn(value).slice(0, length);
  }),
  indent: fixed(2, indented),
  nindent: fixed(2, (count, value) => `\n${indented(count, value)}`),
  cat: any(
    0,
    (...values) => values.filter((one) => one !== null).map(toText).join(" "),
  ),
  join: fixed(
    2,
    (separator, list) =>
      (Array.isArray(list) ? listIn(list) : [list]).filter((one) =>
        one !== null
      )
        .map(toText).join(textIn(separator)),
  ),
  splitList: fixed(
    2,
    (separator, value) => textIn(value).split(textIn(separator)),
  ),
  toString: fixed(1, toText),
  toStrings: fixed(1, (list) => listIn(list).map(toText)),
  regexMatch: fixed(
    2,
    (pattern, value) => toPattern(pattern).test(textIn(value)),
  ),
  regexFind: fixed(
    2,
    (pattern, value) => toPattern(pattern).exec(textIn(value))?.[0] ?? "",
  ),
  regexReplaceAll: fixed(3, replaceAll),
  regexReplaceAllLiteral: fixed(
    3,
    (pattern, value, to) =>
      textIn(value).replaceAll(toPattern(pattern, "gu"), () => textIn(to)),
  ),
};
