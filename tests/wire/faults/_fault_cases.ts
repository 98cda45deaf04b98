/** Commands that meet faults: how they end, on each node, and what is left behind. */

import assert from "node:assert/strict";
import type { ClusterOptions } from "../../../simulator/cluster/cluster.ts";
import type {
  FaultName,
  FaultOptions,
} from "../../../simulator/state/faults.ts";
import { readFields } from "../../../workflows/kubernetes/client.ts";
import { withFolder } from "../../_folder.ts";
import { type Wire, withWire } from "../../_wire.ts";
import { pace } from "../_workers.ts";

/** Faults of nodes, and what becomes of each command then. */
export interface Situation {
  readonly name: string;
  readonly cluster: ClusterOptions;
  /** Faults, by the place of the node. */
  readonly faults: readonly (readonly [number, FaultName, FaultOptions?])[];
  /** Places of the nodes that commands are given. */
  readonly nodes: readonly number[];
  readonly trials: readonly Trial[];
}

/** A command, and how it ends. */
export interface Trial {
  /** Command line without nodes; FILE is a configuration that has changed, SNAPSHOT a path. */
  readonly line: string;
  /** Places of the nodes, where they are others. */
  readonly nodes?: readonly number[];
  readonly status: number;
  /** Outcome or error of each node; omitted where no node has a row. */
  readonly ends?: readonly string[];
  /** Number of boots of each node of the cluster; default none. */
  readonly boots?: readonly number[];
  readonly reported?: RegExp;
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
 * Makes a test of each situation; all its commands meet one cluster, one after the other.
 *
 * @param situations What is wrong, and what becomes of commands then.
 */
export function meetAll(situations: readonly Situation[]): void {
  for (const situation of situations) {
    const { name, cluster, trials } = situation;
    Deno.test(`commands meet ${name}`, (t) =>
      withFolder({}, (folder) =>
        withWire(cluster, async (wire) => {
          const config = await prepare(situation, wire);
          for (const [turn, trial] of trials.entries()) {
            const place = { wire, folder: `${folder}/${turn}` };
            await Deno.mkdir(place.folder);
            await Deno.writeTextFile(
              `${place.folder}/c.yaml`,
              change(config, turn + 1),
            );
            const isGood = await t.step(
              trial.line,
              () => meet(situation, trial, place),
            );
            // The next one would meet what this one left behind.
            if (!isGood) return;
            await recover(situation, wire);
          }
        })));
  }
}

/** A cluster, and a folder for the files of one command. */
interface Place {
  readonly wire: Wire;
  readonly folder: string;
}

/** Reads the configuration of a node, and begins the faults. */
async function prepare(
  { faults, nodes }: Situation,
  { cluster, names, osctl }: Wire,
): Promise<string> {
  const node = names[nodes.at(-1) ?? 0] ?? "";
  const { out } = await osctl(`get mc v1alpha1 -n ${node} -o json`);
  for (const [place, fault, options] of faults) {
    await cluster.setFault(names[place] ?? "", fault, options);
  }
  return JSON.parse(out).spec;
}

/** Gives nodes that came back without their configuration what they had. */
async function recover(
  { faults }: Situation,
  { cluster, names }: Wire,
): Promise<void> {
  await cluster.settled();
  for (const [place, fault, options] of faults) {
    if (fault !== "returns-unconfigured") continue;
    const name = names[place] ?? "";
    await cluster.setFault(name, fault, false);
    await cluster.setFault(name, "maintenance");
    await cluster.setFault(name, "maintenance", false);
    await cluster.setFault(name, fault, options);
  }
}

async function meet(
  { nodes }: Situation,
  trial: Trial,
  { wire, folder }: Place,
): Promise<void> {
  const { cluster, names, osctl } = wire;
  const asked = (trial.nodes ?? nodes).map((place) => names[place] ?? "");
  const before = cluster.nodes.map(({ counts }) => counts.boots);
  const env = { OS_HOME: `${folder}/home` };
  const line = trial.line.replace("FILE", `${folder}/c.yaml`)
    .replace("SNAPSHOT", `${folder}/db`);
  const selected = asked.length === 0 ? "" : `-n ${asked.join()}`;
  const ran = await osctl(`${line} ${selected} -o jsonl`, { env });
  assert.deepEqual(
    endsByNode(ran.out, asked),
    trial.ends ?? asked.map(() => "nothing"),
    ran.err,
  );
  assert.equal(ran.status, trial.status, ran.err);
  if (trial.reported) assert.match(ran.err, trial.reported);
  assert.deepEqual(
    cluster.nodes.map(({ counts }, place) => counts.boots - before[place]!),
    trial.boots ?? before.map(() => 0),
  );
  assert.deepEqual(close(wire), []);
  const listed = await osctl("operation list -o jsonpath={.state}", { env });
  assert.equal(listed.out, "unfinished\n".repeat(trial.unfinished ?? 0));
  const files = await Array.fromAsync(Deno.readDir(folder));
  const isSaved = line.startsWith("etcd snapshot") && ran.status === 0;
  assert.deepEqual(
    files.map(({ name }) => name).filter((name) => name !== "home").toSorted(),
    isSaved ? ["c.yaml", "db"] : ["c.yaml"],
  );
}

/** Outcome on each node; of all rows where no nodes were given. */
function endsByNode(out: string, asked: readonly string[]): readonly string[] {
  const rows = out.split("\n").filter(Boolean).map((row) => JSON.parse(row));
  const ends = (row: (typeof rows)[number]): string =>
    row === undefined ? "nothing" : row.error?.code ?? row.outcome ?? "shown";
  if (asked.length === 0) return rows.map(ends);
  return asked.map((name) => ends(rows.find(({ node }) => node === name)));
}

/** A configuration with something that needs no reboot and that no node has, and no name of its own. */
function change(config: string, pages: number): string {
  const sysctls = `    sysctls:\n        vm.nr_hugepages: "${pages}"\n`;
  return config.replace("machine:\n", `machine:\n${sysctls}`)
    .replace(/^hostname: .*/m, "");
}

/** Nodes of Kubernetes on which no pods are placed. */
function close({ cluster }: Wire): readonly string[] {
  const path = "/api/v1/nodes";
  const { body } = cluster.kubernetes.request({ method: "GET", path });
  const { items } = readFields(body);
  return (Array.isArray(items) ? items : []).flatMap((node) => {
    const { metadata, spec } = readFields(node);
    const isClosed = readFields(spec).unschedulable === true;
    return isClosed ? [String(readFields(metadata).name)] : [];
  });
}
