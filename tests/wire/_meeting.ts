/** Commands that meet faults: how they end, on each node, how long that takes, and what is left behind. */

import assert from "node:assert/strict";
import type { ClusterOptions } from "../../simulator/cluster/cluster.ts";
import type { FaultName, FaultOptions } from "../../simulator/faults/faults.ts";
import { fieldsOf } from "../../workflows/kubernetes/client.ts";
import { withFolder } from "../_folder.ts";
import { type Wire, withWire } from "../_wire.ts";
import { pace } from "./_workers.ts";

/** Faults of nodes, and what becomes of each command then. */
export interface Situation {
  /** What is wrong. */
  readonly name: string;
  /** The cluster. */
  readonly cluster: ClusterOptions;
  /** Faults, by the place of the node. */
  readonly faults: readonly (readonly [number, FaultName, FaultOptions?])[];
  /** Places of the nodes that commands are given. */
  readonly nodes: readonly number[];
  /** Commands. */
  readonly trials: readonly Trial[];
}

/** A command, and how it ends. */
export interface Trial {
  /** Command line without nodes; FILE is a configuration that has changed, SNAPSHOT a path. */
  readonly line: string;
  /** Places of the nodes, where they are others. */
  readonly nodes?: readonly number[];
  /** Exit status. */
  readonly status: number;
  /** Outcome or error of each node; left out where no node has a row. */
  readonly ends?: readonly string[];
  /** How often each node of the cluster boots; default never. */
  readonly boots?: readonly number[];
  /** What standard error says. */
  readonly told?: RegExp;
  /** Operations that may be resumed; default none. */
  readonly unfinished?: number;
}

/** Nodes that upgrade by one call. */
export const old: ClusterOptions = { pace, release: { tag: "v1.12.1" } };
/** Lets the only control plane go. */
export const alone = "--allow single-member-downtime";
/** Wipes a partition and reboots. */
export const wiping = "reset --yes --reboot --system-labels-to-wipe EPHEMERAL";

/**
 * Makes a test of each command in each situation.
 *
 * @param situations What is wrong, and what becomes of commands then.
 */
export function meetAll(situations: readonly Situation[]): void {
  for (const situation of situations) {
    for (const trial of situation.trials) {
      Deno.test(`${trial.line} meets ${situation.name}`, () =>
        withPlace(situation.cluster, async (place) => {
          await prepare(situation, trial.nodes ?? situation.nodes, place);
          await meet(situation, trial, place);
        }));
    }
  }
}

/**
 * Makes a test of each situation that no command changes anything in; all commands meet one cluster.
 *
 * @param situations What is wrong, and what becomes of commands then.
 */
export function meetTogether(situations: readonly Situation[]): void {
  for (const situation of situations) {
    Deno.test(`commands meet ${situation.name}, and change nothing`, (t) =>
      withPlace(situation.cluster, async (place) => {
        await prepare(situation, situation.nodes, place);
        for (const trial of situation.trials) {
          await t.step(trial.line, () => meet(situation, trial, place));
        }
      }));
  }
}

/** A cluster, and a folder for files. */
interface Place {
  /** The cluster. */
  readonly wire: Wire;
  /** Path of the folder. */
  readonly folder: string;
}

function withPlace(
  cluster: ClusterOptions,
  test: (place: Place) => Promise<void>,
): Promise<void> {
  return withFolder(
    {},
    (folder) => withWire(cluster, (wire) => test({ wire, folder })),
  );
}

async function prepare(
  { faults }: Situation,
  nodes: readonly number[],
  { wire, folder }: Place,
): Promise<void> {
  const { cluster, names } = wire;
  const node = names[nodes.at(-1) ?? 0] ?? "";
  await writeChanged(wire, node, `${folder}/c.yaml`);
  for (const [place, fault, options] of faults) {
    await cluster.setFault(names[place] ?? "", fault, options);
  }
}

/** Longest time for any of them, in seconds. */
const withinS = 10;

async function meet(
  { nodes }: Situation,
  trial: Trial,
  { wire, folder }: Place,
): Promise<void> {
  const { cluster, names, osctl } = wire;
  const asked = (trial.nodes ?? nodes).map((place) => names[place] ?? "");
  const before = cluster.nodes.map(({ counts }) => counts.boots);
  const begun = performance.now();
  const line = trial.line.replace("FILE", `${folder}/c.yaml`)
    .replace("SNAPSHOT", `${folder}/db`);
  const selected = asked.length === 0 ? "" : `-n ${asked.join()}`;
  const ran = await osctl(`${line} ${selected} -o jsonl`);
  const tookS = (performance.now() - begun) / 1_000;
  assert.deepEqual(
    endsOf(ran.out, asked),
    trial.ends ?? asked.map(() => "nothing"),
    ran.err,
  );
  assert.equal(ran.status, trial.status, ran.err);
  if (trial.told) assert.match(ran.err, trial.told);
  assert.ok(tookS < withinS, `it took ${tookS} s`);
  assert.deepEqual(
    cluster.nodes.map(({ counts }, place) => counts.boots - before[place]!),
    trial.boots ?? before.map(() => 0),
  );
  assert.deepEqual(closed(wire), []);
  const listed = await osctl("operation list -o jsonpath={.state}");
  assert.equal(listed.out, "unfinished\n".repeat(trial.unfinished ?? 0));
  const files = await Array.fromAsync(Deno.readDir(folder));
  const isSaved = line.startsWith("etcd snapshot") && ran.status === 0;
  assert.deepEqual(
    files.map(({ name }) => name).toSorted(),
    isSaved ? ["c.yaml", "db"] : ["c.yaml"],
  );
}

/** How it ended on each node; of all rows where no nodes were given. */
function endsOf(out: string, asked: readonly string[]): readonly string[] {
  const rows = out.split("\n").filter(Boolean).map((row) => JSON.parse(row));
  const ends = (row: (typeof rows)[number]): string =>
    row === undefined ? "nothing" : row.error?.code ?? row.outcome ?? "shown";
  if (asked.length === 0) return rows.map(ends);
  return asked.map((name) => ends(rows.find(({ node }) => node === name)));
}

/** Writes the configuration of a node with something that needs no reboot, and no name of its own. */
async function writeChanged(
  { osctl }: Wire,
  node: string,
  path: string,
): Promise<void> {
  const { out } = await osctl(`get mc v1alpha1 -n ${node} -o json`);
  const text: string = JSON.parse(out).spec;
  const sysctls = '    sysctls:\n        vm.nr_hugepages: "1"\n';
  await Deno.writeTextFile(
    path,
    text.replace("machine:\n", `machine:\n${sysctls}`)
      .replace(/^hostname: .*/m, ""),
  );
}

/** Nodes of Kubernetes on which no pods are placed. */
function closed({ cluster }: Wire): readonly string[] {
  const path = "/api/v1/nodes";
  const { body } = cluster.kubernetes.request({ method: "GET", path });
  const { items } = fieldsOf(body);
  return (Array.isArray(items) ? items : []).flatMap((node) => {
    const { metadata, spec } = fieldsOf(node);
    const isClosed = fieldsOf(spec).unschedulable === true;
    return isClosed ? [String(fieldsOf(metadata).name)] : [];
  });
}
