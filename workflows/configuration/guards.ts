/** Refuses configurations on the wrong nodes. */

import { uniqueValues } from "../../config/change/unique_values.ts";
import {
  newerInstaller,
  unknownIn,
} from "../../config/change/version_support.ts";
import { type Cursor, toCursor } from "../../config/documents/cursor.ts";
import { type ConfigDocument, mainKind } from "../../config/documents/load.ts";
import { problemText } from "../../config/documents/problem.ts";
import type { ConfigurationFacts } from "./facts.ts";

/** Names of the rules a user may override. */
export const configurationAllowances = [
  "role-change",
  "cluster-change",
  "same-file",
  "unknown-kind",
  "skew",
] as const;

/** Name of a rule a user may override. */
type ConfigurationAllowance = (typeof configurationAllowances)[number];

/** A node with its new configuration. */
export interface Intended extends ConfigurationFacts {
  readonly wanted: readonly ConfigDocument[];
}

interface Objection {
  /** Rule to override. */
  readonly allowance: ConfigurationAllowance;
  /** Problem with the node's name, lower case first. */
  readonly reason: string;
}

/** Finds configurations that would do harm on their nodes. */
export function objections(
  all: readonly Intended[],
  allowed: ReadonlySet<string>,
): readonly Objection[] {
  const found = [
    ...all.flatMap((one) => [
      ...roleChange(one),
      ...clusterChange(one),
      ...unknownKind(one),
      ...skew(one),
    ]),
    ...sameFile(all),
  ];
  return found.filter(({ allowance }) => !allowed.has(allowance));
}

const roleNames: Readonly<Record<MemberRole, string>> = {
  controlplane: "a control plane",
  worker: "a worker",
};

function roleChange({ node, live, wanted }: Intended): readonly Objection[] {
  const [old, now] = [live && roleIn(live.documents), roleIn(wanted)];
  if (old === undefined || now === undefined || old === now) return [];
  return [{
    allowance: "role-change",
    reason: `${node} is ${roleNames[old]}, and the configuration is for ${
      roleNames[now]
    }`,
  }];
}

function clusterChange({ node, live, wanted }: Intended): readonly Objection[] {
  const found = live ? clusterDifferences(live.documents, wanted) : [];
  if (found.length === 0) return [];
  return [{
    allowance: "cluster-change",
    reason: `${node} is in another cluster: ${
      found.join(" and ")
    } of the configuration differ`,
  }];
}

function unknownKind(
  { node, version, wanted }: Intended,
): readonly Objection[] {
  if (version === undefined) return [];
  return unknownIn(wanted, version).map((problem) => ({
    allowance: "unknown-kind",
    reason: `${node} does not support the configuration: ${
      problemText(problem)
    }`,
  }));
}

function skew({ node, version, live, wanted }: Intended): readonly Objection[] {
  // Installing a newer system than the booted one is usual.
  if (version === undefined || live === undefined) return [];
  const image = newerInstaller(live.documents, wanted, version);
  if (image === undefined) return [];
  return [{
    allowance: "skew",
    reason: `${node} runs version ${version}, and the configuration is for a ` +
      `newer one: machine.install.image is "${image}"`,
  }];
}

/** Values that several nodes would share, and that at least one of them does not have yet. */
function sameFile(all: readonly Intended[]): readonly Objection[] {
  const holders = new Map<string, Holders>();
  for (const { node, live, wanted } of all) {
    const old = new Set(live && uniqueValues(live.documents).map(formatKey));
    for (const value of uniqueValues(wanted)) {
      const key = formatKey(value);
      const { nodes = [], isNew = false } = holders.get(key) ?? {};
      const { path, what, text } = value;
      holders.set(key, {
        reported: `${what}${what === "key" ? "" : ` "${text}"`} (${path})`,
        nodes: [...nodes, node],
        isNew: isNew || !old.has(key),
      });
    }
  }
  const shared = [...holders.values()].filter(({ nodes, isNew }) =>
    isNew && nodes.length > 1
  );
  const groups = Map.groupBy(shared, ({ nodes }) => nodes.join(" and "));
  return [...groups].map(([nodes, values]) => ({
    allowance: "same-file",
    reason: `${nodes} would have the same ${
      values.map(({ reported }) => reported).join(", ")
    }`,
  }));
}

interface Holders {
  readonly reported: string;
  /** Nodes whose new configuration contains it. */
  readonly nodes: readonly string[];
  /** True when one of them does not have it yet. */
  readonly isNew: boolean;
}

function formatKey(
  { path, what, text }: { path: string; what: string; text: string },
): string {
  return JSON.stringify([path, what, text]);
}

type MemberRole = "controlplane" | "worker";

/** Role of a configuration; `undefined` if it names none. */
export function roleIn(
  documents: readonly ConfigDocument[],
): MemberRole | undefined {
  const type = findMain(documents)?.get("machine", "type").text();
  if (type === undefined) return undefined;
  return type === "controlplane" || type === "init" ? "controlplane" : "worker";
}

/**
 * Finds identifying values of another cluster in a configuration.
 *
 * A CA may be replaced by one the node already accepts, or that keeps accepting the old one: that is a CA rotation.
 *
 * @returns Differences: `cluster.id`, `machine.ca`; empty for the same cluster.
 */
export function clusterDifferences(
  from: readonly ConfigDocument[],
  to: readonly ConfigDocument[],
): readonly string[] {
  const [old, now] = [findMain(from), findMain(to)];
  if (old === undefined || now === undefined) return [];
  return [
    ...(differ(old.get("cluster", "id"), now.get("cluster", "id"))
      ? ["cluster.id"]
      : []),
    ...(isForeign(old.get("machine"), now.get("machine"))
      ? ["machine.ca"]
      : []),
  ];
}

function findMain(documents: readonly ConfigDocument[]): Cursor | undefined {
  const main = documents.find(({ kind }) => kind === mainKind);
  return main && toCursor(main.root);
}

function differ(a: Cursor, b: Cursor): boolean {
  return (a.text() ?? "") !== (b.text() ?? "");
}

function isForeign(old: Cursor, now: Cursor): boolean {
  const [before, after] = [old, now].map((machine) =>
    machine.get("ca", "crt").text() ?? ""
  );
  if (before === after) return false;
  const knows = (machine: Cursor, crt = "") =>
    machine.get("acceptedCAs").items().some((item) =>
      item.get("crt").text() === crt
    );
  return !knows(old, after) && !knows(now, before);
}
