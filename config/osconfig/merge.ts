/** Merges the contexts of one client configuration into another. */

import type { ClientContext, Osconfig } from "./osconfig.ts";
import { changedFields, sameCluster } from "./same_context.ts";
import type { YamlEntry } from "../yaml/yaml_tree.ts";

/** Policy for a name that a context of another cluster has. */
export type ConflictPolicy = "rename" | "overwrite" | "skip";

/** A name conflict between two clusters. */
export interface MergeConflict {
  readonly name: string;
  readonly present: ClientContext;
  readonly incoming: ClientContext;
}

/** Merge options. */
export interface MergeOptions {
  /** Policy on a conflict, or a function that asks the user; default `rename`. */
  readonly onConflict?:
    | ConflictPolicy
    | ((conflict: MergeConflict) => ConflictPolicy | Promise<ConflictPolicy>)
    | undefined;
  /** True to replace the current context by the incoming one; default false. */
  readonly setCurrent?: boolean | undefined;
}

/** Outcome for an incoming context, or for the current one. */
export type MergeEvent =
  | {
    /** New name; equal context; skipped; replaced another context; now current. */
    readonly action:
      | "added"
      | "unchanged"
      | "skipped"
      | "overwritten"
      | "current";
    readonly name: string;
  }
  | {
    /** Updated a context of the same cluster. */
    readonly action: "updated";
    readonly name: string;
    readonly fields: readonly string[];
  }
  | {
    /** Added under another name, because the name was taken. */
    readonly action: "renamed";
    readonly name: string;
    readonly from: string;
  };

interface MergedOsconfig {
  /** The result, including the contexts of the target. */
  readonly config: Osconfig;
  /** Outcomes, in the order of the incoming contexts. */
  readonly events: readonly MergeEvent[];
}

type ContextsByName = ReadonlyMap<string, ClientContext>;

interface ArrivingContext {
  readonly name: string;
  readonly context: ClientContext;
  // Contexts so far.
  readonly contexts: ContextsByName;
  // All incoming contexts; a renamed context must not take one of their names.
  readonly claimed: ContextsByName;
}

interface ContextPlacement {
  readonly event: MergeEvent;
  readonly context: ClientContext;
}

/**
 * Merges contexts. An equal context stays; one of the same cluster is updated in place, keeping
 * fields that the incoming one lacks; on a conflict the policy decides. Idempotent, also after a rename.
 */
export async function mergeOsconfig(
  target: Osconfig,
  incoming: Osconfig,
  options: MergeOptions = {},
): Promise<MergedOsconfig> {
  const contexts = new Map(target.contexts);
  const events: MergeEvent[] = [];
  let current = target.current;
  // In sequence, since the user is asked and names depend on each other.
  for (const [name, context] of incoming.contexts) {
    const arrival = { name, context, contexts, claimed: incoming.contexts };
    const { event, context: placed } = await placeContext(arrival, options);
    contexts.set(event.name, placed);
    events.push(event);
    const wanted = name === incoming.current && event.action !== "skipped" &&
      (options.setCurrent === true || target.current === "");
    if (wanted) current = event.name;
  }
  if (current !== target.current) {
    events.push({ action: "current", name: current });
  }
  return { config: { ...target, current, contexts }, events };
}

/** Formats an outcome as one line. */
export function describeMerge(event: MergeEvent): string {
  switch (event.action) {
    case "added":
      return `added osconfig context "${event.name}"`;
    case "unchanged":
      return `osconfig context "${event.name}" is unchanged`;
    case "skipped":
      return `skipped osconfig context "${event.name}": another cluster uses the name`;
    case "overwritten":
      return `overwrote osconfig context "${event.name}"`;
    case "current":
      return `current osconfig context is now "${event.name}"`;
    case "updated":
      return `updated osconfig context "${event.name}": ${
        event.fields.join(", ")
      }`;
    case "renamed":
      return `renamed osconfig context "${event.from}" -> "${event.name}"`;
  }
}

async function placeContext(
  arrival: ArrivingContext,
  { onConflict = "rename" }: MergeOptions,
): Promise<ContextPlacement> {
  const { name, context: incoming, contexts } = arrival;
  const present = contexts.get(name);
  if (present === undefined) {
    return { event: { action: "added", name }, context: incoming };
  }
  // A plain overwrite or skip applies to this name only, so no other one is checked.
  const renames = onConflict !== "overwrite" && onConflict !== "skip";
  const candidates = renames
    ? [
      name,
      ...numberedNames(name, contexts).filter((one) =>
        !arrival.claimed.has(one)
      ),
    ]
    : [name];
  const twin = identical(candidates, arrival) ?? sibling(candidates, arrival);
  if (twin !== undefined) return twin;
  const policy = typeof onConflict === "function"
    ? await onConflict({ name, present, incoming })
    : onConflict;
  switch (policy) {
    case "overwrite":
      return { event: { action: "overwritten", name }, context: incoming };
    case "skip":
      return { event: { action: "skipped", name }, context: present };
    case "rename":
      return {
        event: {
          action: "renamed",
          name: freeName(name, contexts, arrival.claimed),
          from: name,
        },
        context: incoming,
      };
  }
}

/** Names that an earlier merge may have used instead of this one. */
export function numberedNames(
  name: string,
  taken: ReadonlyMap<string, unknown>,
): readonly string[] {
  return [...taken.keys()].filter((other) =>
    other.startsWith(`${name}-`) &&
    /^[1-9][0-9]*$/.test(other.slice(name.length + 1))
  );
}

/** The name with the first free number appended. */
export function freeName(
  name: string,
  ...taken: readonly ReadonlyMap<string, unknown>[]
): string {
  for (let n = 1;; n++) {
    const renamed = `${name}-${n}`;
    if (!taken.some((names) => names.has(renamed))) return renamed;
  }
}

function identical(
  candidates: readonly string[],
  { context: incoming, contexts }: ArrivingContext,
): ContextPlacement | undefined {
  for (const name of candidates) {
    const context = contexts.get(name);
    if (context && changedFields(context, incoming).length === 0) {
      return { event: { action: "unchanged", name }, context };
    }
  }
  return undefined;
}

function sibling(
  candidates: readonly string[],
  { context: incoming, contexts }: ArrivingContext,
): ContextPlacement | undefined {
  for (const name of candidates) {
    const present = contexts.get(name);
    if (!present || !sameCluster(present, incoming)) continue;
    const context = updateContext(present, incoming);
    const fields = changedFields(present, context);
    return fields.length === 0
      ? { event: { action: "unchanged", name }, context: present }
      : { event: { action: "updated", name, fields }, context };
  }
  return undefined;
}

function updateContext(
  present: ClientContext,
  incoming: ClientContext,
): ClientContext {
  // A certificate is useless with the key of another one.
  const pair = incoming.crt || incoming.key ? incoming : present;
  return {
    endpoints: incoming.endpoints.length > 0
      ? incoming.endpoints
      : present.endpoints,
    nodes: incoming.nodes.length > 0 ? incoming.nodes : present.nodes,
    ca: incoming.ca ?? present.ca,
    crt: pair.crt,
    key: pair.key,
    auth: incoming.auth ?? present.auth,
    cluster: incoming.cluster ?? present.cluster,
    proxyUrl: incoming.proxyUrl ?? present.proxyUrl,
    others: joinEntries(present.others, incoming.others),
  };
}

function joinEntries(
  present: readonly YamlEntry[] = [],
  incoming: readonly YamlEntry[] = [],
): readonly YamlEntry[] | undefined {
  const entries = new Map(present.map((entry) => [entry.key, entry]));
  for (const entry of incoming) entries.set(entry.key, entry);
  return entries.size > 0 ? [...entries.values()] : undefined;
}
