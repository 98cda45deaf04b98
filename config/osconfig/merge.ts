/** Bringing the contexts of one client configuration into another. */

import type { ClientContext, Osconfig } from "./osconfig.ts";
import { changedFields, sameCluster } from "./same_context.ts";
import type { YamlEntry } from "../yaml/yaml_tree.ts";

/** What to do when a name is taken by a context of another cluster. */
export type ConflictPolicy = "rename" | "overwrite" | "skip";

/** A name that two clusters want. */
export interface MergeConflict {
  readonly name: string;
  readonly present: ClientContext;
  readonly incoming: ClientContext;
}

/** How to merge. */
export interface MergeOptions {
  /** What to do on a conflict, or whom to ask; default `rename`. */
  readonly onConflict?:
    | ConflictPolicy
    | ((conflict: MergeConflict) => ConflictPolicy | Promise<ConflictPolicy>)
    | undefined;
  /** Whether the incoming current context becomes current though one is set; default false. */
  readonly setCurrent?: boolean | undefined;
}

/** What happened to one incoming context, or to the current one. */
export type MergeEvent =
  | {
    /** The name was free; the same context was there; it was skipped; it took the place of another; it is current now. */
    readonly action:
      | "added"
      | "unchanged"
      | "skipped"
      | "overwritten"
      | "current";
    readonly name: string;
  }
  | {
    /** A context of the same cluster took over what is new. */
    readonly action: "updated";
    readonly name: string;
    readonly fields: readonly string[];
  }
  | {
    /** The name was taken, so it was added under another one. */
    readonly action: "renamed";
    readonly name: string;
    readonly from: string;
  };

interface MergedOsconfig {
  /** The result; keeps what the target had. */
  readonly config: Osconfig;
  /** What happened, in the order of the incoming contexts. */
  readonly events: readonly MergeEvent[];
}

type ContextsByName = ReadonlyMap<string, ClientContext>;

interface ArrivingContext {
  readonly name: string;
  readonly context: ClientContext;
  // What is there so far.
  readonly contexts: ContextsByName;
  // All that come; a renamed context must not take one of their names.
  readonly claimed: ContextsByName;
}

interface ContextPlacement {
  readonly event: MergeEvent;
  readonly context: ClientContext;
}

/**
 * Merges contexts. A context that is there already changes nothing; one of the same cluster is
 * updated in place, what the incoming one does not say stays; on a conflict the policy decides.
 * Merging the same again changes nothing, also when it was renamed the first time.
 */
export async function mergeOsconfig(
  target: Osconfig,
  incoming: Osconfig,
  options: MergeOptions = {},
): Promise<MergedOsconfig> {
  const contexts = new Map(target.contexts);
  const events: MergeEvent[] = [];
  let current = target.current;
  // One after the other, since the user is asked and names depend on each other.
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

/** Says what happened in one line. */
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
  // A plain overwrite or skip is about this name only, so no other one is checked.
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

/** Names under which an earlier merge may have put what wanted this one. */
export function numberedNames(
  name: string,
  taken: ReadonlyMap<string, unknown>,
): readonly string[] {
  return [...taken.keys()].filter((other) =>
    other.startsWith(`${name}-`) &&
    /^[1-9][0-9]*$/.test(other.slice(name.length + 1))
  );
}

/** The name with the first number behind it that none has. */
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
    const context = updated(present, incoming);
    const fields = changedFields(present, context);
    return fields.length === 0
      ? { event: { action: "unchanged", name }, context: present }
      : { event: { action: "updated", name, fields }, context };
  }
  return undefined;
}

function updated(
  present: ClientContext,
  incoming: ClientContext,
): ClientContext {
  // A certificate is of no use with the key of another one.
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
    others: joined(present.others, incoming.others),
  };
}

function joined(
  present: readonly YamlEntry[] = [],
  incoming: readonly YamlEntry[] = [],
): readonly YamlEntry[] | undefined {
  const entries = new Map(present.map((entry) => [entry.key, entry]));
  for (const entry of incoming) entries.set(entry.key, entry);
  return entries.size > 0 ? [...entries.values()] : undefined;
}
