/** Types of the expression language, and how they are written. */

/** A type, or a variable that stands for one. */
export interface Type {
  /** `int`, `list`, name of a record, or name of the variable. */
  readonly name: string;
  /** Types of elements, of keys and values; none for most. */
  readonly parts: readonly Type[];
  readonly open?: true;
}

/** The type of anything, looked at when the expression is evaluated. */
export const dyn: Type = { name: "dyn", parts: [] };

/** The type of conditions. */
export const bool: Type = { name: "bool", parts: [] };

/** The type of whole numbers. */
export const int: Type = { name: "int", parts: [] };

/** Makes the type of lists. */
export function listOf(of: Type): Type {
  return { name: "list", parts: [of] };
}

/** Makes the type of optional values. */
export function optionalOf(of: Type): Type {
  return { name: "optional", parts: [of] };
}

/** Takes what is in an optional value. Returns `undefined` if it is none of an optional value. */
export function unwrapped({ name, parts }: Type): Type | undefined {
  return name === "optional" ? parts[0] : undefined;
}

/** Reads a type. `text`: `int`, `list(string)`, `map(int,double)`, without blanks; single capitals are variables. */
export function readType(text: string): Type {
  const open = text.indexOf("(");
  if (open < 0) return { name: text, parts: [], ...openness(text) };
  const parts = separated(text.slice(open + 1, -1)).map(readType);
  return { name: text.slice(0, open), parts };
}

function openness(text: string): { readonly open?: true } {
  return /^[A-Z]$/.test(text) ? { open: true } : {};
}

/** Parts between the commas that are in no parentheses. */
function separated(text: string): readonly string[] {
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

/** Writes a type as messages show it; variables are shown as `dyn`. */
export function typeText({ name, parts, open }: Type): string {
  if (open) return dyn.name;
  if (parts.length === 0) return name;
  return `${name}(${parts.map(typeText).join(", ")})`;
}

/** Reports whether two types are the same to the last part. */
export function isSame(a: Type, b: Type): boolean {
  return a.name === b.name && a.parts.length === b.parts.length &&
    a.parts.every((part, i) => isSame(part, b.parts[i] ?? dyn));
}
