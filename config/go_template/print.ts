/** Functions that print values. */

import { FunctionProblem } from "./function.ts";
import { findKind, formatValue, GoFloat, type GoValue } from "./values.ts";

/** `print` puts spaces between values of which none is a text. */
export function joinValues(...values: readonly GoValue[]): string {
  return values.map((value, index) => {
    const isSpaced = index > 0 && typeof value !== "string" &&
      typeof values[index - 1] !== "string";
    return (isSpaced ? " " : "") + formatValue(value, "<nil>");
  }).join("");
}

/** `printf`, without verbs and flags of rare use. */
export function print(format: GoValue, ...args: readonly GoValue[]): string {
  if (typeof format !== "string") {
    throw new FunctionProblem(`it needs a string, not ${findKind(format)}`);
  }
  let next = 0;
  return format.replaceAll(
    /%(%|([-+0]*)(\d+)?(?:\.(\d+))?([a-zA-Z]))/g,
    (_, one, flags = "", width, precision, verb) => {
      if (one === "%") return "%";
      if (next >= args.length) return `%!${verb}(MISSING)`;
      const value = args[next++] ?? null;
      const text = formatVerb(value, verb, precision, flags);
      if (text === undefined) {
        throw new FunctionProblem(
          `"%${one}" does not print a value of kind ${findKind(value)}`,
        );
      }
      const length = Number(width ?? 0);
      if (flags.includes("-")) return text.padEnd(length);
      if (!flags.includes("0")) return text.padStart(length);
      const sign = /^[-+]?/.exec(text)![0];
      return sign + text.slice(sign.length).padStart(length - sign.length, "0");
    },
  );
}

function formatVerb(
  value: GoValue,
  verb: string,
  precision: string | undefined,
  flags: string,
): string | undefined {
  const isText = typeof value === "string";
  const isWhole = typeof value === "number";
  const plus = flags.includes("+") ? "+" : "";
  switch (verb) {
    case "v":
      return formatValue(value, "<nil>");
    case "s":
      return isText
        ? value.slice(0, Number(precision ?? value.length))
        : undefined;
    case "q":
      return isText ? JSON.stringify(value) : undefined;
    case "d":
      return isWhole ? (value < 0 ? "" : plus) + value : undefined;
    case "x":
      if (isText) return new TextEncoder().encode(value).toHex();
      return isWhole ? value.toString(16) : undefined;
    case "f":
      return value instanceof GoFloat
        ? value.value.toFixed(Number(precision ?? 6))
        : undefined;
    case "t":
      return typeof value === "boolean" ? String(value) : undefined;
  }
}
