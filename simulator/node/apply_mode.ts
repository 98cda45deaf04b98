/** Apply modes of a configuration, and their messages. */

import { rebootNeed } from "../../config/change/reboot_need.ts";
import { canonical, encodeDocuments } from "../../config/documents/encode.ts";
import { type ConfigDocument, mainKind } from "../../config/documents/load.ts";
import { unified } from "../../config/diff.ts";
import {
  type ConfigNode,
  findChild,
  type MapNode,
} from "../../config/tree/node.ts";
import { writeDocuments } from "../../config/tree/write.ts";
import { RpcError } from "../../errors.ts";
import {
  ApplyConfigurationRequest_Mode as Mode,
} from "../../transport/gen/machine.ts";

/** A change of a node's configuration. */
export interface NodeConfigChange {
  /** Current configuration; `undefined` in maintenance mode. */
  readonly from: readonly ConfigDocument[] | undefined;
  readonly to: readonly ConfigDocument[];
}

/** Plan for applying a configuration. */
export interface ApplyPlan {
  /** Effective mode; never {@linkcode Mode.AUTO}. */
  readonly mode: Mode;
  /** Message of the node. */
  readonly details: string;
  /** Reason for a reboot, appended to the details; empty unless requested. */
  readonly reason: string;
}

/**
 * Plans how to apply a configuration.
 *
 * @param reboots True if some changes require a reboot.
 * @throws {RpcError} If the node refuses the mode.
 */
export function applyPlan(
  wanted: Mode,
  change: NodeConfigChange,
  reboots: boolean,
): ApplyPlan {
  const mode = change.from === undefined && wanted === Mode.REBOOT
    ? Mode.NO_REBOOT
    : wanted;
  if (mode === Mode.STAGED) {
    const details = "Staged configuration to be applied after the next reboot";
    return { mode, details, reason: "" };
  }
  if (mode === Mode.REBOOT) return rebooting("");
  const refusal = reboots ? immediateRefusal(change) : undefined;
  if (refusal === undefined) {
    return {
      mode: mode === Mode.AUTO ? Mode.NO_REBOOT : mode,
      details: "Applied configuration without a reboot",
      reason: "",
    };
  }
  if (mode === Mode.AUTO) return rebooting(`: ${refusal}`);
  throw new RpcError("INVALID_ARGUMENT", refusal);
}

function rebooting(reason: string): ApplyPlan {
  const details = "Applied configuration with a reboot";
  return { mode: Mode.REBOOT, details, reason };
}

/** Reason a change requires a reboot. */
function immediateRefusal({ from, to }: NodeConfigChange): string | undefined {
  if (from === undefined) return undefined;
  const paths = rebootNeed(from, to);
  if (paths.length === 0) return undefined;
  const [old, now] = [findMain(from), findMain(to)];
  const wanted = paths.reduce<ConfigNode>((root, path) => {
    const keys = path.split(".");
    return withValue(root, keys, valueAt(now, keys));
  }, old);
  const diff = formatDiff(writeDocuments([old]), writeDocuments([wanted]));
  return `this config change can't be applied in immediate mode\ndiff:\n${diff}`;
}

/** Describes a change as a node does in a dry run. */
export function describeChange({ from, to }: NodeConfigChange): string {
  const before = from === undefined ? "" : encodeDocuments(from);
  const diff = formatDiff(before, encodeDocuments(to));
  return `Config diff:\n\n${diff === "" ? "No changes." : diff}`;
}

function formatDiff(from: string, to: string): string {
  const hunks = unified(from, to);
  return hunks === "" ? "" : `--- a\n+++ b\n${hunks}`;
}

function findMain(documents: readonly ConfigDocument[]): ConfigNode {
  const main = documents.find(({ kind }) => kind === mainKind);
  return main === undefined ? nothing : canonical(main);
}

const nothing: MapNode = { kind: "map", entries: [] };

function valueAt(
  root: ConfigNode,
  keys: readonly string[],
): ConfigNode | undefined {
  return keys.reduce<ConfigNode | undefined>(
    (node, key) => findChild(node, key),
    root,
  );
}

/** Returns a copy with another value at a path; without a value the path is removed. */
function withValue(
  root: ConfigNode,
  [key = "", ...rest]: readonly string[],
  value: ConfigNode | undefined,
): ConfigNode {
  const entries = root.kind === "map" ? root.entries : [];
  const own = entries.find((entry) => entry.key === key);
  const next = rest.length === 0
    ? value
    : withValue(own?.value ?? nothing, rest, value);
  if (next === undefined) {
    return {
      kind: "map",
      entries: entries.filter((entry) => entry.key !== key),
    };
  }
  const entry = { ...own, key, value: next };
  return {
    kind: "map",
    entries: own === undefined
      ? [...entries, entry]
      : entries.map((one) => one === own ? entry : one),
  };
}
