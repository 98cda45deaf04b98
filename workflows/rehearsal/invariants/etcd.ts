/** Invariants of etcd: quorum, one control plane at a time, one cluster, a snapshot before data is destroyed. */

import { sha256Hex } from "../../../lib/sha256.ts";
import type { Json } from "../../../lib/json.ts";
import type { JournalRecord } from "../../runbooks/journal/record.ts";
import type { Evidence, SeenQuorum } from "./evidence.ts";
import { matchesNode } from "../faults/matches.ts";
import { parseFault } from "../faults/parse_fault.ts";
import { foundFrom, type InvariantFinding, unchecked } from "./invariant.ts";

/** I1: the run never causes a loss of quorum. */
export function quorumKept(evidence: Evidence): InvariantFinding {
  const { before, runbook } = evidence;
  const rules = new Set(runbook.policy.allow.map(({ rule }) => rule));
  const voters = controlPlanes(evidence);
  // Without quorum before the run, it cannot be lost.
  if (rules.has("etcd-quorum") || !before.quorum.at(-1)?.hasQuorum) {
    return unchecked;
  }
  if (voters.size < 2 && rules.has("single-member-downtime")) return unchecked;
  return foundFrom(
    during(evidence).flatMap((record) => {
      const { ours, others } = downIn(evidence, record);
      const needed = Math.floor(voters.size / 2) + 1;
      const isOurs = ours.length > 0 && voters.size - others.length >= needed;
      if (record.hasQuorum || !isOurs) return [];
      return [`${formatTime(record)}: no quorum without ${ours.join(", ")}`];
    }),
  );
}

/** I2: the run never causes two control planes to be down. */
export function oneAtATime(evidence: Evidence): InvariantFinding {
  const { runbook } = evidence;
  if (runbook.policy.allow.some(({ rule }) => rule === "etcd-quorum")) {
    return unchecked;
  }
  return foundFrom(
    during(evidence).flatMap((record) => {
      const { ours } = downIn(evidence, record);
      if (ours.length < 2) return [];
      return [`${formatTime(record)}: ${ours.join(" and ")} are down`];
    }),
  );
}

/** I7: there are never two etcd clusters. */
export function oneCluster(evidence: Evidence): InvariantFinding {
  return foundFrom(
    during(evidence).flatMap((record) =>
      record.clusters < 2 ? [] : [
        `${formatTime(record)}: ${record.clusters} etcd clusters have a quorum`,
      ]
    ),
  );
}

const destroying: ReadonlySet<string> = new Set([
  "reset",
  "node.resetEphemeral",
]);

const copying: ReadonlySet<string> = new Set([
  "etcd.snapshot",
  "etcd.chooseSource",
]);

/** I8: no data is destroyed without a verified snapshot on this disk. */
export async function copiedFirst(
  evidence: Evidence,
): Promise<InvariantFinding> {
  const { records, before, after } = evidence;
  const members = controlPlanes(evidence);
  const first = records.find((record) =>
    record.type === "intent" && destroying.has(record.data.operation) &&
    members.has(record.node ?? "")
  );
  const lost = after.dataLost - before.dataLost;
  if (first === undefined) {
    return lost === 0
      ? unchecked
      : foundFrom(["the last copy of the etcd data was lost"]);
  }
  const earlier = records.filter(({ seq }) => seq < first.seq);
  const copies = await Promise.all(
    earlier.flatMap(copyIn).map((copy) => isThere(evidence, copy)),
  );
  if (copies.includes(true)) return foundFrom([]);
  return foundFrom([
    `record ${first.seq} wipes ${first.node}without an earlier copy of etcd`,
  ]);
}

type StepOutputs = Readonly<Record<string, Json>>;

/** Outputs of a step that took an etcd snapshot; empty for other records. */
function copyIn(record: JournalRecord): readonly StepOutputs[] {
  if (record.type !== "result" || record.data.state !== "ok") return [];
  const { module = "", outputs = {} } = record.data;
  return copying.has(module) ? [outputs] : [];
}

async function isThere(
  { files }: Evidence,
  { file, sha256: hash }: StepOutputs,
): Promise<boolean> {
  const found = files.find(({ path }) => path === file);
  if (found === undefined || found.bytes.length === 0) return false;
  return hash === undefined || await sha256Hex(found.bytes) === hash;
}

function during({ before, after }: Evidence): readonly SeenQuorum[] {
  return after.quorum.filter(({ at }) => at >= before.at);
}

function controlPlanes({ before }: Evidence): ReadonlySet<string> {
  return new Set(
    before.nodes.flatMap(({ role, isPart, name, etcd }) =>
      role === "controlplane" && isPart && etcd.hasData ? [name] : []
    ),
  );
}

/** Control planes that are down because of the run, and those that are down for other reasons. */
function downIn(
  evidence: Evidence,
  { down, at }: SeenQuorum,
): { readonly ours: readonly string[]; readonly others: readonly string[] } {
  const members = controlPlanes(evidence);
  const globs = evidence.injected.flatMap((one) => {
    const { where } = parseFault(one.fault);
    const isOn = one.at !== undefined && Date.parse(one.at) <= at;
    return isOn && "glob" in where ? [where.glob] : [];
  });
  const isOther = (name: string) =>
    globs.some((glob) => matchesNode(glob, name));
  const known = down.filter((name) => members.has(name));
  return {
    ours: known.filter((name) => !isOther(name)),
    others: known.filter(isOther),
  };
}

function formatTime({ at }: SeenQuorum): string {
  return new Date(at).toISOString();
}
