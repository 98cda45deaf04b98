/** Resources as rows: documents in talosctl's layout, and tables by type. */

import type { Metadata, Resource } from "../../transport/gen/cosi_resource.ts";
import {
  machineConfigurationType,
  renderMachineConfiguration,
} from "../../transport/node/machine_configuration.ts";
import {
  parseSpec,
  type PlainScalar,
  plainScalar,
} from "../../transport/node/resource_yaml.ts";
import type { ResourceType } from "../../transport/node/resource_types.ts";
import { isoTime } from "../../transport/node/timestamp.ts";
import { exact } from "../../terminal/bigint_json.ts";
import { compileColumn } from "../../terminal/jsonpath/template.ts";
import { TooMany } from "../../terminal/jsonpath/values.ts";
import { JsonPathProblem } from "../../terminal/jsonpath/scan.ts";
import { type Column, stateTone } from "../_kit/mod.ts";
import { formatMark } from "../../config/documents/redact.ts";
import { ConfigError } from "../../errors.ts";

type ResourceEvent = "created" | "updated" | "destroyed";

/** Key of the type of a row; a symbol, so that it is in no document. */
export const shownAs: unique symbol = Symbol("shownAs");

/** One resource of one node. Source: `cosi.resource.State`, methods `Get`, `List` and `Watch`. */
export interface ResourceRow {
  readonly node: string;
  /** What happened to it; only while watching. */
  readonly event?: ResourceEvent;
  readonly metadata: ResourceMetadata;
  /** Content as the type defines it, from the YAML the node sent. */
  readonly spec: unknown;
  readonly [shownAs]: ResourceType;
}

/** What every resource has; in documents, texts are what they are in YAML without quotes. */
interface ResourceMetadata {
  readonly namespace: PlainScalar;
  readonly type: PlainScalar;
  /** Name within namespace and type. */
  readonly id: PlainScalar;
  /** Counts changes; `undefined` as text when the node keeps none. */
  readonly version: number | string;
  /** Controller that owns it, empty for none. */
  readonly owner: string;
  /** `running` or `tearingDown`. */
  readonly phase: string;
  /** When it was made, ISO 8601, whole seconds. */
  readonly created: string;
  /** When it was changed last, ISO 8601, whole seconds. */
  readonly updated: string;
  /** Labels; absent when there are none. */
  readonly labels?: Readonly<Record<string, PlainScalar>>;
  /** Annotations; absent when there are none. */
  readonly annotations?: Readonly<Record<string, PlainScalar>>;
  /** Controllers that still need it; absent when there are none. */
  readonly finalizers?: readonly PlainScalar[];
}

/** How a row is made. */
export interface RowOptions {
  readonly type: ResourceType;
  /** JSON has the keys sorted, YAML and tables as the node sent them; tables have all metadata as text. */
  readonly format: "json" | "yaml" | "table";
  /** What happened to it; omitted for a resource that was just read. */
  readonly event?: ResourceEvent;
}

/**
 * Makes the row of a resource.
 *
 * @param options Type, format and event.
 * @throws {OsctlError} When the spec is not YAML this client can read.
 */
export function resourceRow(
  node: string,
  resource: Resource,
  { type, format, event }: RowOptions,
): ResourceRow {
  const row = {
    node,
    ...(event && { event }),
    metadata: toMetadata(
      resource.metadata,
      format === "table" ? (text) => text : plainScalar,
    ),
    spec: decodeSpec(resource),
  };
  // Sorting changes the order of keys only.
  const ordered = format === "json" ? sorted(row) as typeof row : row;
  return { ...ordered, [shownAs]: type };
}

/** Columns of a table of resources. `first`: any of the rows; its type decides which columns there are. */
export function resourceColumns(
  first: ResourceRow,
): readonly Column<ResourceRow>[] {
  const { displayType, printColumns } = first[shownAs];
  // What is the same in every row goes first where there is little room.
  const same = printColumns.length + 10;
  return [
    { header: "NODE", cell: (row) => row.node, name: true },
    {
      header: "NAMESPACE",
      cell: (row) => String(row.metadata.namespace),
      priority: same,
    },
    { header: "TYPE", cell: () => displayType, priority: same },
    { header: "ID", cell: (row) => String(row.metadata.id), name: true },
    {
      header: "VERSION",
      cell: (row) => String(row.metadata.version),
      value: (row) => row.metadata.version,
      priority: same - 1,
    },
    ...printColumns.map(({ name, jsonPath }, i) =>
      printColumn(name.toUpperCase(), jsonPath, i + 1)
    ),
  ];
}

const stateHeaders: ReadonlySet<string> = new Set(
  ["STATE", "PHASE", "STAGE", "HEALTHY", "RUNNING", "READY", "STATUS"],
);

function printColumn(
  header: string,
  jsonPath: string,
  priority: number,
): Column<ResourceRow> {
  const cell = cellAt(jsonPath);
  const column = { header, cell, priority };
  return stateHeaders.has(header)
    ? { ...column, tone: (row) => stateTone(cell(row)) }
    : column;
}

function toMetadata(
  metadata: Metadata | undefined,
  scalar: (text: string) => PlainScalar,
): ResourceMetadata {
  const { labels = {}, annotations = {}, finalizers = [] } = metadata ?? {};
  const scalars = (texts: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [key, scalar(text)]),
    );
  const version = metadata?.version ?? "";
  return {
    namespace: scalar(metadata?.namespace ?? ""),
    type: scalar(metadata?.type ?? ""),
    id: scalar(metadata?.id ?? ""),
    version: /^\d{1,15}$/.test(version) ? Number(version) : version,
    // Not null as in YAML: programs need to check one empty value only.
    owner: metadata?.owner ?? "",
    phase: metadata?.phase ?? "",
    created: wholeSeconds(isoTime(metadata?.created)),
    updated: wholeSeconds(isoTime(metadata?.updated)),
    ...(isEmpty(labels) ? {} : { labels: scalars(labels) }),
    ...(isEmpty(annotations) ? {} : { annotations: scalars(annotations) }),
    ...(finalizers.length === 0 ? {} : { finalizers: finalizers.map(scalar) }),
  };
}

function isEmpty(record: Readonly<Record<string, string>>): boolean {
  return Object.keys(record).length === 0;
}

function wholeSeconds(time: string): string {
  return time.replace(/\.\d+Z$/, "Z");
}

function decodeSpec(resource: Resource): unknown {
  return resource.metadata?.type === machineConfigurationType
    ? renderMachineConfiguration(resource)
    : parseSpec(resource.spec?.yamlSpec ?? "");
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const record = value as Readonly<Record<string, unknown>>; // plain data
  return Object.fromEntries(
    Object.keys(record).sort().map((key) => [key, sorted(record[key])]),
  );
}

function cellAt(jsonPath: string): (row: ResourceRow) => string {
  const values = columnOf(jsonPath);
  return (row) => values(row.spec).map(formatValue).join(" ");
}

/** A path this client cannot read, or that leads to far too much, must not hide the resource. */
function columnOf(jsonPath: string): (value: unknown) => readonly unknown[] {
  const column = orNothing(() => compileColumn(jsonPath), () => []);
  return (value) => orNothing(() => column(value), []);
}

function orNothing<T>(attempt: () => T, nothing: T): T {
  try {
    return attempt();
  } catch (error) {
    const known = error instanceof JsonPathProblem || error instanceof TooMany;
    if (known) return nothing;
    throw error;
  }
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object"
    ? JSON.stringify(sorted(value), exact)
    : String(value);
}

/**
 * The spec of a resource with only what is known to be harmless: of machine configurations what their description
 * says, of all others keys and truth values.
 */
export async function hiddenSpec(
  { metadata, spec }: Pick<ResourceRow, "metadata" | "spec">,
): Promise<unknown> {
  return metadata.type === machineConfigurationType && typeof spec === "string"
    ? await hiddenConfiguration(spec)
    : withoutValues(spec);
}

async function hiddenConfiguration(text: string): Promise<string> {
  // Loaded on demand: what configurations consist of is much to load.
  const { redactedText } = await import("../../config/diff.ts");
  const { loadDocuments } = await import("../../config/documents/load.ts");
  try {
    return redactedText(loadDocuments(text, "").documents);
  } catch (error) {
    // Nodes have odd ones as well.
    if (error instanceof ConfigError) return formatMark(text, "unknown");
    throw error;
  }
}

function withoutValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutValues);
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value)
      .map(([key, item]) => [key, withoutValues(item)]);
    return Object.fromEntries(entries);
  }
  const isBare = value === null || value === "" || typeof value === "boolean";
  return isBare ? value : formatMark(String(value), "unknown");
}
