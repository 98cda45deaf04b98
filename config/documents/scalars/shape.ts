import type { ScalarNode } from "../../tree/node.ts";
import type { ScalarReading, ScalarShape } from "../schema.ts";

type ScalarGiven =
  & Omit<ScalarShape, "shape" | "zero">
  & Partial<Pick<ScalarShape, "zero">>;

type TextGiven =
  & Omit<ScalarGiven, "read" | "json">
  & Partial<Pick<ScalarShape, "json">>
  & {
    /** Returns the canonical text; `undefined` for an invalid text. */
    readonly canonical: (text: string) => string | undefined;
    /** True to keep an invalid value out of messages: it may be a secret. */
    readonly hidden?: true;
  };

const longest = 60;
const emptyText = { text: "", plain: false } as const;

/** A shape with an empty text as its absent value by default. */
export function scalar(given: ScalarGiven): ScalarShape {
  return { shape: "scalar", zero: emptyText, ...given };
}

/** A text shape: quoted and unquoted values are equal. */
export function textual(given: TextGiven): ScalarShape {
  const { canonical, hidden, ...rest } = given;
  return scalar({
    json: { type: "string" },
    ...rest,
    read: (node) => {
      const text = canonical(node.text);
      if (text !== undefined) return { text, plain: false };
      return hidden === undefined
        ? notA(node, given.name)
        : { fault: `This is not ${article(given.name)}` };
    },
  });
}

/** Error for an invalid value; long values are truncated. */
export function notA({ text }: ScalarNode, name: string): ScalarReading {
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return { fault: `${JSON.stringify(shown)} is not ${article(name)}` };
}

function article(name: string): string {
  return `${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
}
