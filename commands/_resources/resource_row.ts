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
import { compilePrintColumn } from "../../terminal/jsonpath/template.ts";
import { type Column, leastPriority, stateTone } from "../_kit/mod.ts";
import { formatMark } from "../../config/documents/redact.ts";
import { sortKeys } from "../../lib/json.ts";
import { ConfigError } from "../../errors.ts";
import { wideColumns } from "./wide_columns.ts";

type ResourceEvent = "created" | "updated" | "destroyed";

/** Key of a row's type; a symbol, so that it is not in documents. */
export const shownAs: unique symbol = Symbol("shownAs");

/** A resource of a node. Source: `cosi.resource.State`, methods `Get`, `List` and `Watch`. */
export interface ResourceRow {
  readonly node: string;
  /** Event; only while watching. */
  readonly event?: ResourceEvent;
  readonly metadata: ResourceMetadata;
  /** Content as defined by the type, from the YAML of the node. */
  readonly spec: unknown;
  readonly [shownAs]: ResourceType;
}

/** Metadata of every resource; documents have strings as unquoted YAML scalars. */
interface ResourceMetadata {
  readonly namespace: PlainScalar;
  readonly type: PlainScalar;
  /** Name within namespace and type. */
  readonly id: PlainScalar;
  /** Change counter; `undefined` as text if the node keeps none. */
  readonly version: number | string;
  /** Owning controller, empty for none. */
  readonly owner: string;
  /** `running` or `tearingDown`. */
  readonly phase: string;
  /** Creation time, ISO 8601, whole seconds. */
  readonly created: string;
  /** Time of the last change, ISO 8601, whole seconds. */
  readonly updated: string;
  /** Labels; absent if there are none. */
  readonly labels?: Readonly<Record<string, PlainScalar>>;
  /** Annotations; absent if there are none. */
  readonly annotations?: Readonly<Record<string, PlainScalar>>;
  /** Controllers that still need it; absent if there are none. */
  readonly finalizers?: readonly PlainScalar[];
}

/** Options of a row. */
export interface RowOptions {
  readonly type: ResourceType;
  /** JSON sorts keys, YAML and tables keep the order of the node; tables have all metadata as text. */
  readonly format: "json" | "yaml" | "table";
  /** Event; omitted for a plain read. */
  readonly event?: ResourceEvent;
}

/**
 * Makes the row of a resource.
 *
 * @param options Type, format and event.
 * @throws {OsctlError} If the spec is not YAML this client can parse.
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
  // Sorting only changes the order of keys.
  const ordered = format === "json"
    ? sortKeys(row) as unknown as typeof row
    : row;
  return { ...ordered, [shownAs]: type };
}

/** Columns of a resource table. `first`: any row; its type determines the columns. */
export function resourceColumns(
  first: ResourceRow,
): readonly Column<ResourceRow>[] {
  const { displayType, printColumns, type } = first[shownAs];
  // What the command line says, or only counts changes, is dropped first if there is little space.
  const priority = leastPriority;
  return [
    { header: "NODE", cell: (row) => row.node, name: true },
    {
      header: "NAMESPACE",
      cell: (row) => String(row.metadata.namespace),
      priority,
    },
    { header: "TYPE", cell: () => displayType, priority },
    { header: "ID", cell: (row) => String(row.metadata.id), name: true },
    {
      header: "VERSION",
      cell: (row) => String(row.metadata.version),
      value: (row) => row.metadata.version,
      priority,
    },
    ...printColumns.map(({ name, jsonPath }, i) => {
      const header = name.toUpperCase();
      const isTaken = metadataHeaders.has(header);
      const unique = isTaken ? `${toSubject(displayType)} ${header}` : header;
      return printColumn(unique, jsonPath, i + 1);
    }),
    ...Object.entries(wideColumns(type)).map(([header, jsonPath]) => ({
      ...printColumn(header, jsonPath, printColumns.length + 10),
      wide: true,
    })),
  ];
}

/** Headers of columns that all types have. */
const metadataHeaders: ReadonlySet<string> = new Set(
  ["NODE", "NAMESPACE", "TYPE", "ID", "VERSION"],
);

/** Words of a type for a header: `LINK` for `LinkStatus`. */
function toSubject(displayType: string): string {
  return displayType.replace(/(?<=.)(Spec|Status|Config)$/, "")
    .replace(/(?<=[a-z])(?=[A-Z])/g, " ").toUpperCase();
}

const stateHeaders: ReadonlySet<string> = new Set(
  ["STATE", "PHASE", "STAGE", "HEALTHY", "RUNNING", "READY", "STATUS"],
);

function printColumn(
  header: string,
  jsonPath: string,
  priority: number,
): Column<ResourceRow> {
  const text = compilePrintColumn(jsonPath);
  const cell = ({ spec }: ResourceRow) => text(spec);
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
    // Unlike YAML, not null: programs need to check for one empty value only.
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

/**
 * The spec of a resource with only harmless values: for machine configurations
 * according to the schema, for all others keys and booleans.
 */
export async function hiddenSpec(
  { metadata, spec }: Pick<ResourceRow, "metadata" | "spec">,
): Promise<unknown> {
  return metadata.type === machineConfigurationType && typeof spec === "string"
    ? await hiddenConfiguration(spec)
    : withoutValues(spec);
}

async function hiddenConfiguration(text: string): Promise<string> {
  // Loaded on demand: the configuration schema is large.
  const { redactedText } = await import("../../config/diff.ts");
  const { loadDocuments } = await import("../../config/documents/load.ts");
  try {
    return redactedText(loadDocuments(text, "").documents);
  } catch (error) {
    // Nodes may hold invalid configurations.
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
