/** Runs of runbooks on simulated clusters, over sockets. */

import { type Globals, globals } from "../../../commands/_kit/globals.ts";
import { Ajv2020 } from "ajv/dist/2020.js";
import type {
  ClusterOptions,
  RunningCluster,
} from "../../../simulator/cluster/cluster.ts";
import type { JournalRecord } from "../../workflows/runbooks/_records.ts";
import type { RunEvent } from "../../../workflows/runbooks/event.ts";
import { eventSchema } from "../../../workflows/runbooks/report/event_schema.ts";
import { type Wire, withWire } from "../../_wire.ts";

const fits = new Ajv2020({ strictRequired: false }).compile(eventSchema());

/**
 * Reads events, and looks whether each fits its schema.
 *
 * @param text One JSON object on each line.
 * @throws {Error} Naming the first that does not.
 */
export function eventsIn(text: string): readonly RunEvent[] {
  return text.split("\n").filter((line) => line !== "").map((line) => {
    const event: RunEvent = JSON.parse(line);
    const isRight = fits(event) as boolean; // no guard of a type of its own
    if (isRight) return event;
    throw new Error(`No event: ${line} ${JSON.stringify(fits.errors)}`);
  });
}

/** Beginning of every runbook here. */
const head = `apiVersion: osctl/v1
kind: Runbook
name: quick
title: A quick one
groups:
  workers: { role: worker, order: [name] }
`;

/** Looks, asks, and closes and opens each worker: less than a second. */
export const quick = `${head}steps:
  - { id: preflight, gate: etcd.quorum, within: 1m }
  - id: go
    approve: { tag: start, message: "Touch \${{ size(groups.workers) }} workers?" }
  - id: workers
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: cordon, run: node.cordon }
    always:
      - { id: uncordon, run: node.uncordon }
outputs:
  touched: \${{ size(result.done) }}
`;

/**
 * A runbook with other steps.
 *
 * @param steps YAML below \`steps:\`, indented by two.
 * @param more YAML at the top, before them.
 */
export function runbook(steps: string, more = ""): string {
  return `${head}${more}steps:\n${steps}`;
}

/** A cluster, and the home of an operator who runs runbooks on it. */
export interface RunHome extends Wire {
  readonly home: string;
  /** Path of a runbook that is written there. */
  readonly write: (text: string, name?: string) => Promise<string>;
  readonly ids: () => Promise<readonly string[]>;
  /** Journal of a run; default the only one. */
  readonly journal: (id?: string) => Promise<readonly JournalRecord[]>;
}

/**
 * Runs a test with a cluster of one control plane and two workers, and a home; all events that its runs have reported
 * have to fit their schema.
 *
 * @param test What to do.
 * @param options Another cluster.
 */
export async function withRunHome(
  test: (home: RunHome) => Promise<void>,
  options: ClusterOptions = { workers: 2 },
): Promise<void> {
  await withWire(options, async (wire) => {
    const home = wire.osconfig.slice(0, wire.osconfig.lastIndexOf("/"));
    const ids = async () => {
      const found = await Array.fromAsync(Deno.readDir(`${home}/runs`))
        .catch(() => []);
      return found.map(({ name }) => name).toSorted();
    };
    await test({
      ...wire,
      home,
      ids,
      async write(text, name = "quick.runbook.yaml") {
        const path = `${home}/${name}`;
        await Deno.writeTextFile(path, text);
        return path;
      },
      async journal(id) {
        const [first = ""] = await ids();
        const path = `${home}/runs/${id ?? first}/journal.jsonl`;
        const text = await Deno.readTextFile(path);
        return text.trim().split("\n").map((line) => JSON.parse(line));
      },
    });
    for (const id of await ids()) {
      const events = `${home}/runs/${id}/events.jsonl`;
      eventsIn(await Deno.readTextFile(events).catch(() => ""));
    }
  });
}

export function countBoots(
  { nodes }: RunningCluster,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    nodes.map(({ identity, counts }) => [identity.hostname, counts.boots]),
  );
}

/** Each global flag as it is when it is omitted. */
export const initialGlobals = Object.fromEntries(
  Object.entries(globals).map(([key, input]) => [
    key,
    "initial" in input ? input.initial : undefined,
  ]),
  // The record is made from the declarations of `Globals`.
) as unknown as Globals;
