/** Resources of a node: types, resources of a type, and one resource as YAML. */

import { nearest } from "../../../lib/text/nearest.ts";
import { machineConfigurationType } from "../../../transport/node/machine_configuration.ts";
import type { ResourceType } from "../../../transport/node/resource_types.ts";
import { isoTime } from "../../../transport/node/timestamp.ts";
import type { Resource } from "../../../transport/gen/cosi_resource.ts";
import { compilePrintColumn } from "../../../terminal/jsonpath/template.ts";
import type { ScreenLine } from "../../../terminal/screen_line.ts";
import { readSpec, resources, types } from "../feeds/all.ts";
import { problemLines, type ScreenColumn, textRows } from "./layout.ts";
import { listContent } from "./list.ts";
import type { Page, PageContent, PageContext } from "./page.ts";

/** Resources of a node. */
export const resourcesPage: Page = {
  name: "Resources",
  text: "resource types, resources and their YAML; Enter opens, Esc goes back",
  keys: ["f7", "7"],
  opens: ({ path }) => path.length < 2,
  needs(context) {
    const { node } = context;
    const type = openType(context);
    return [
      { node, feed: types },
      ...type === undefined ? [] : [{ node, feed: findFeed(type) }],
    ];
  },
  draw(context) {
    const [word, id] = context.path;
    if (word === undefined) return typeList(context);
    const type = openType(context);
    if (type === undefined) return unknownType(context, word);
    return id === undefined ? list(context, type) : document(context, type, id);
  },
};

/** True for a type as the user typed it after `:`. */
function isTyped(word: string | undefined): boolean {
  return word !== undefined && !word.includes(" ");
}

/** Row id of the opened type; absent if there is none, or the types of the node are not known yet. */
function openType(
  { data, node, path: [word = ""] }: PageContext,
): string | undefined {
  if (!isTyped(word)) return word;
  const found = data.of(node, types).value?.find((type) =>
    typeNames(type).includes(word)
  );
  return found && formatWord(found);
}

function typeNames(
  { id, type, displayType, allAliases }: ResourceType,
): readonly string[] {
  return [id, type, displayType, ...allAliases].map((name) =>
    name.toLowerCase()
  );
}

/** Names without groups that can be typed for the resource types of a node; none before they are known. */
export function listTypeNames(
  { data, node }: Pick<PageContext, "data" | "node">,
): readonly string[] {
  const names = (data.of(node, types).value ?? []).flatMap(({ allAliases }) =>
    allAliases.filter((name) => !name.includes("."))
      .map((name) => name.toLowerCase())
  );
  return [...new Set(names)];
}

function unknownType({ data, node }: PageContext, word: string): PageContent {
  const { value, problem } = data.of(node, types);
  const meant = nearest(word, (value ?? []).flatMap(typeNames));
  const unknown = `No page, command or resource type "${word}"` +
    (meant === undefined ? "" : `; did you mean "${meant}"?`);
  const text = problem ??
    (value === undefined ? "Waiting for the resource types" : unknown);
  return { head: problemLines(text), rows: [], kind: "text" };
}

/** Row id of a type, with the parameters for a watch: namespace, full type, and whether it is sensitive. */
function formatWord(
  { defaultNamespace, type, sensitive }: ResourceType,
): string {
  return [defaultNamespace, type, sensitive ? "secret" : ""].join(" ");
}

function findFeed(word: string) {
  const [namespace = "", type = ""] = word.split(" ");
  return resources(namespace, type);
}

function isSecret(word: string): boolean {
  const [, type, secret] = word.split(" ");
  return secret === "secret" || type === machineConfigurationType;
}

const typeColumns: readonly ScreenColumn<ResourceType>[] = [
  { header: "TYPE", cell: ({ displayType }) => displayType, priority: 0 },
  {
    header: "NAMESPACE",
    cell: ({ defaultNamespace }) => defaultNamespace,
    priority: 1,
  },
  { header: "FULL TYPE", cell: ({ type }) => type, priority: 3 },
  {
    header: "ALIASES",
    cell: ({ allAliases }) => allAliases.join(" "),
    priority: 2,
  },
];

function typeList(context: PageContext): PageContent {
  const { value, problem } = context.data.of(context.node, types);
  return listContent({
    head: problemLines(problem),
    columns: typeColumns,
    rows: value,
    id: formatWord,
  }, context);
}

/** Columns as in `osctl get`; general ones for a type without its own, or with secrets. */
function makeColumns(
  { data, node }: PageContext,
  word: string,
  rows: readonly Resource[],
): readonly ScreenColumn<Resource>[] {
  const [, name] = word.split(" ");
  const { printColumns = [] } =
    data.of(node, types).value?.find(({ type }) => type === name) ?? {};
  if (printColumns.length === 0 || isSecret(word)) return generalColumns;
  return [
    idColumn,
    { ...versionColumn, priority: printColumns.length + 1 },
    ...printColumns.map(({ name, jsonPath }, i) => {
      const text = compilePrintColumn(jsonPath);
      const cell = (resource: Resource) => text(readSpec(resource));
      const repeats = rows.every((row) => cell(row) === row.metadata?.id);
      const priority = repeats ? printColumns.length + 2 : i + 1;
      return { header: name.toUpperCase(), cell, priority };
    }),
  ];
}

const idColumn: ScreenColumn<Resource> = {
  header: "ID",
  cell: ({ metadata }) => metadata?.id ?? "",
  priority: 0,
};

const versionColumn: ScreenColumn<Resource> = {
  header: "VERSION",
  cell: ({ metadata }) => metadata?.version ?? "",
  priority: 2,
};

const generalColumns: readonly ScreenColumn<Resource>[] = [
  idColumn,
  versionColumn,
  {
    header: "PHASE",
    cell: ({ metadata }) => metadata?.phase ?? "",
    priority: 3,
  },
  {
    header: "UPDATED",
    cell: ({ metadata }) => isoTime(metadata?.updated).replace(/\.\d+Z$/, "Z"),
    priority: 1,
  },
  {
    header: "OWNER",
    cell: ({ metadata }) => metadata?.owner ?? "",
    priority: 4,
  },
];

function list(context: PageContext, word: string): PageContent {
  const { value, problem } = context.data.of(context.node, findFeed(word));
  const rows = [...value?.values() ?? []].sort((a, b) =>
    (a.metadata?.id ?? "") < (b.metadata?.id ?? "") ? -1 : 1
  );
  return listContent({
    head: [
      titleLine(`${word.split(" ")[1]}  ${rows.length}`),
      ...problemLines(problem),
    ],
    columns: makeColumns(context, word, rows),
    rows,
    id: ({ metadata }) => metadata?.id ?? "",
  }, context);
}

function document(
  { data, node }: PageContext,
  word: string,
  id: string,
): PageContent {
  const { value, problem } = data.of(node, findFeed(word));
  const [, type = ""] = word.split(" ");
  const resource = value?.get(id);
  const lines = resource !== undefined
    ? yamlLines(resource, isSecret(word)).map(markKey)
    : value === undefined || value.size === 0
    ? ["Waiting for the node"]
    : ["The node has no such resource"];
  return {
    head: [
      titleLine(`${type}/${id}`),
      ...problemLines(problem),
    ],
    rows: textRows(lines),
    kind: "text",
  };
}

function titleLine(text: string): ScreenLine {
  return [{ text, style: "title" }];
}

function yamlLines(resource: Resource, hides: boolean): readonly string[] {
  const { namespace, type, id, version, owner, phase, created, updated } =
    resource.metadata ?? {};
  const { labels = {}, annotations = {}, finalizers = [] } =
    resource.metadata ?? {};
  const known = Object.entries({
    namespace,
    type,
    id,
    version,
    owner,
    phase,
    created: isoTime(created),
    updated: isoTime(updated),
  }).map(([key, value]) => `    ${key}: ${value ?? ""}`);
  return [
    "metadata:",
    ...known,
    ...mapLines("labels", labels),
    ...mapLines("annotations", annotations),
    ...finalizers.length === 0
      ? []
      : ["    finalizers:", ...finalizers.map((one) => `        - ${one}`)],
    ...hides ? hiddenSpec(type ?? "", id ?? "") : specLines(resource),
  ];
}

/** A line of YAML with its key in the style of titles. */
function markKey(line: string): ScreenLine {
  const [start = "", indent = "", key = ""] =
    /^( *(?:- )*)([^\s:#"'][^\s:]*:)(?= |$)/.exec(line) ?? [];
  return start === "" ? line : [
    { text: indent },
    { text: key, style: "title" },
    { text: line.slice(start.length) },
  ];
}

function mapLines(
  name: string,
  map: Readonly<Record<string, string>>,
): readonly string[] {
  const entries = Object.entries(map);
  if (entries.length === 0) return [];
  return [
    `    ${name}:`,
    ...entries.map(([key, value]) => `        ${key}: ${value}`),
  ];
}

function hiddenSpec(type: string, id: string): readonly string[] {
  return [
    "spec: ******",
    "",
    "Its contents are secret. Show them with:",
    `  osctl get ${type} ${id} --output yaml --show-secrets`,
  ];
}

function specLines(resource: Resource): readonly string[] {
  const text = (resource.spec?.yamlSpec ?? "").trimEnd();
  const isPlain = typeof readSpec(resource) !== "object";
  if (isPlain && !text.includes("\n")) return [`spec: ${text}`];
  return ["spec:", ...text.split("\n").map((line) => `    ${line}`)];
}
