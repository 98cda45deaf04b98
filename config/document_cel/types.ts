/** CEL types and their notation. */

/** A type or a type variable. */
export interface Type {
  /** `int`, `list`, name of a record, or name of the variable. */
  readonly name: string;
  /** Type arguments: of elements, or of keys and values; empty for most. */
  readonly parts: readonly Type[];
  readonly open?: true;
}

/** The dynamic type, checked at run time. */
export const dyn: Type = { name: "dyn", parts: [] };

/** The boolean type. */
export const bool: Type = { name: "bool", parts: [] };

/** The integer type. */
export const int: Type = { name: "int", parts: [] };

/** Creates a list type. */
export function listOf(of: Type): Type {
  return { name: "list", parts: [of] };
}

/** Creates an optional type. */
export function optionalOf(of: Type): Type {
  return { name: "optional", parts: [of] };
}

/** Type of the value in an optional. Returns `undefined` for any other type. */
export function unwrapOptional({ name, parts }: Type): Type | undefined {
  return name === "optional" ? parts[0] : undefined;
}

/** Parses a type. `text`: `int`, `list(string)`, `map(int,double)`, without blanks; single capitals are variables. */
export function readType(text: string): Type {
  const open = text.indexOf("(");
  if (open < 0) return { name: text, parts: [], ...openness(text) };
  const parts = splitParts(text.slice(open + 1, -1)).map(readType);
  return { name: text.slice(0, open), parts };
}

function openness(text: string): { readonly open?: true } {
  return /^[A-Z]$/.test(text) ? { open: true } : {};
}

/** Splits at commas outside of parentheses. */
function splitParts(text: string): readonly string[] {
  const parts = [""];
  let depth = 0;
  for (const character of text) {
    if (character === "(") depth++;
    if (character === ")") depth--;
    if (character === "," && depth === 0) parts.push("");
    else parts.push(`${parts.pop() ?? ""}${character}`);
  }
  return parts;
}

/** Formats a type for messages; variables are shown as `dyn`. */
export function typeText({ name, parts, open }: Type): string {
  if (open) return dyn.name;
  if (parts.length === 0) return name;
  return `${name}(${parts.map(typeText).join(", ")})`;
}

/** Reports whether two types are identical. */
export function isSame(a: Type, b: Type): boolean {
  return a.name === b.name && a.parts.length === b.parts.length &&
    a.parts.every((part, i) => isSame(part, b.parts[i] ?? dyn));
}
