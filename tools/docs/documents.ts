/** Reference pages of machine configurations, from the document descriptions. */

import { conform } from "../../config/documents/conform.ts";
import { typeText } from "../../config/documents/explain.ts";
import { findFields, mainKind } from "../../config/documents/load.ts";
import type {
  DocumentKind,
  Example,
  ExampleValue,
  Field,
  Fields,
  Shape,
} from "../../config/documents/schema.ts";
import { toTree } from "../../config/tree/node.ts";
import { writeTree } from "../../config/tree/write.ts";
import { escape, formatTable, notice } from "./markdown.ts";

interface DocumentSection {
  /** Path from the root; empty for the root. */
  readonly path: string;
  readonly fields: Fields;
}

const mainPage = "v1alpha1.md";
const indexPage = "documents.md";

/** Kinds besides the main one, by topic. */
type Topics = Readonly<Record<string, readonly DocumentKind[]>>;

/**
 * Generates the pages.
 *
 * @param main The main kind.
 * @param topics All others.
 * @returns Text by file name: a page for the main document and for each topic, and an index.
 */
export function documentPages(
  main: DocumentKind,
  topics: Topics,
): ReadonlyMap<string, string> {
  const index = Object.entries(topics).flatMap(([topic, kinds]) => [
    `## ${topic}\n`,
    contents(kinds, toPage(topic)),
  ]);
  return new Map([
    [mainPage, `${notice}\n# The main document\n\n${chapter(main)}`],
    [
      indexPage,
      [`${notice}\n# Documents\n\n${introduction}`, ...index].join("\n"),
    ],
    ...Object.entries(topics).map(([topic, kinds]): [string, string] => [
      toPage(topic),
      [
        `${notice}\n# Documents: ${topic.charAt(0).toLowerCase()}${
          topic.slice(1)
        }\n`,
        `See [all documents](${indexPage}).\n`,
        contents(kinds, ""),
        ...kinds.map((kind) => `## ${kind.kind}\n\n${chapter(kind)}`),
      ].join("\n"),
    ]),
  ]);
}

function toPage(topic: string): string {
  return `documents-${topic.toLowerCase().replaceAll(/\W+/g, "-")}.md`;
}

const introduction =
  `A machine configuration consists of documents with \`---\` between them: [one without \`kind\`](${mainPage}), the main one,
and any number of others. Those have \`apiVersion: v1alpha1\` and their \`kind\`.

Without a rule of their own, patches merge mappings, append to lists and replace single values.
`;

function contents(kinds: readonly DocumentKind[], page: string): string {
  const rows = kinds.map(({ kind, summary, since }) =>
    `| [${kind}](${page}#${kind.toLowerCase()}) | ${escape(summary)} | ${
      since ?? ""
    } |`
  );
  return formatTable(["Kind", "Configures", "Since"], rows);
}

function chapter(kind: DocumentKind): string {
  const { summary, since, fields, examples } = kind;
  const others = kind.group === undefined
    ? ""
    : `Names are unique among all documents about ${kind.group}.\n`;
  const isMain = kind.kind === mainKind;
  return [
    `${escape(summary)}.${since === undefined ? "" : ` Since ${since}.`}${
      kind.named ? " There may be several, distinguished by `name`." : ""
    }\n`,
    others,
    ...[...sections({ path: "", fields })].map((section) =>
      sectionText(kind, section)
    ),
    ...(isMain ? [] : examples.map((example) => documentText(kind, example))),
  ].filter((part) => part !== "").join("\n");
}

function* sections(section: DocumentSection): Generator<DocumentSection> {
  if (Object.keys(section.fields).length > 0) yield section;
  for (const [key, { shape }] of Object.entries(section.fields)) {
    const [inner, steps] = innermost(shape);
    if (inner.shape !== "struct") continue;
    const path = `${pathTo(section)}${key}${steps}`;
    yield* sections({ path, fields: inner.fields });
  }
}

function pathTo({ path }: DocumentSection): string {
  return path === "" ? "" : `${path}.`;
}

/** Innermost shape of lists and maps, with the path to it. */
function innermost(shape: Shape): readonly [Shape, string] {
  if (shape.shape !== "list" && shape.shape !== "map") return [shape, ""];
  const [inner, steps] = innermost(shape.of);
  return [inner, (shape.shape === "list" ? "[]" : ".*") + steps];
}

function sectionText(kind: DocumentKind, section: DocumentSection): string {
  const { path, fields } = section;
  const title = kind.kind === mainKind ? path : `${kind.kind}: ${path}`;
  const rows = Object.entries(fields).map(([key, field]) =>
    `| \`${key}\` | ${typeText(field.shape)} | ${meaning(field)} |`
  );
  return [
    ...(path === "" ? [] : [`### ${title}\n`]),
    formatTable(["Key", "Type", "Meaning"], rows),
    ...Object.entries(fields).flatMap(([key, field]) =>
      fieldExamples(`${pathTo(section)}${key}`, key, field)
    ),
  ].join("\n");
}

function meaning(field: Field): string {
  const { summary, initial, since, until, deprecated, shape } = field;
  const parts = [
    escape(summary),
    words(shape),
    field.required && "Required",
    initial !== undefined && `Default: ${code(initial)}`,
    since !== undefined && `Since ${since}`,
    until !== undefined && `Until ${until}`,
    deprecated === "" && "Deprecated",
    deprecated && `Deprecated: use ${code(deprecated)}`,
    field.secret && "Secret",
    mergeText(field),
    short(field),
  ];
  return parts.filter((part) => part).join(". ");
}

function words(shape: Shape): string {
  const [inner] = innermost(shape);
  if (inner.shape !== "scalar" || inner.values === undefined) return "";
  if (inner.values.length > 12) return `Is ${escape(inner.expected)}`;
  return `One of ${inner.values.map(code).join(", ")}`;
}

function mergeText({ merge, shape }: Field): string {
  if (merge === "replace") return "Patches replace it";
  if (merge === "overwrite") return "Patches that leave it out remove it";
  if (merge !== undefined) {
    const keys = merge.map(code).join(" or ");
    return `Patches merge elements that agree in ${keys}`;
  }
  return shape.shape === "struct" && shape.whole
    ? "Patches replace it as a whole"
    : "";
}

function short({ examples = [], secret, shape }: Field): string {
  const single = examples.filter(isSingle).map(({ value }) => {
    const text = String(value);
    const plain = typeof value !== "string";
    const reading = shape.shape === "scalar"
      ? shape.read({ kind: "scalar", text, plain })
      : { text };
    return code("text" in reading ? reading.text : text);
  });
  return single.length === 0 || secret ? "" : `Such as ${single.join(", ")}`;
}

function fieldExamples(path: string, key: string, field: Field): string[] {
  return (field.examples ?? []).filter((example) => !isSingle(example))
    .map(({ title, value }) => {
      const what = title === undefined ? "" : `, ${escape(title)}`;
      const shown = yaml({ [key]: value }, { [key]: field });
      return `Example of \`${path}\`${what}:\n\n${shown}`;
    });
}

function isSingle({ value }: Example): boolean {
  return typeof value !== "object";
}

function documentText(kind: DocumentKind, example: Example): string {
  const { title = "Example", value } = example;
  const identity = { apiVersion: "v1alpha1", kind: kind.kind };
  const whole = { ...identity, ...Object(value) };
  return `${escape(title)}:\n\n${yaml(whole, findFields(kind))}`;
}

function yaml(value: ExampleValue, fields: Fields): string {
  const { node } = conform(toTree(value), fields);
  return `\`\`\`yaml\n${writeTree(node)}\`\`\`\n`;
}

function code(text: string): string {
  return `\`${text.replaceAll("|", "\\|")}\``;
}
