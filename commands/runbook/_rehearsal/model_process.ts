/** One process that carries a runbook out against a model cluster. */

import type { ModelCluster } from "../../../simulator/model_cluster.ts";
import { checks } from "../../../workflows/checks/all.ts";
import type { Json } from "../../../workflows/operation.ts";
import type { Disk } from "../../../workflows/rehearsal/disk.ts";
import {
  heldCheck,
  heldModule,
} from "../../../workflows/rehearsal/held_modules.ts";
import type { Life } from "../../../workflows/rehearsal/life.ts";
import type { RunEnd } from "../../../workflows/runbooks/engine/run.ts";
import type { Surroundings } from "../../../workflows/runbooks/engine/surroundings.ts";
import { createHold } from "../../../workflows/runbooks/hold/cluster_hold.ts";
import { isUnfinished } from "../../../workflows/runbooks/hold/local_lock.ts";
import {
  findAll,
  type Found,
} from "../../../workflows/runbooks/load/lookup.ts";
import { allSteps } from "../../../workflows/runbooks/load/walk.ts";
import { conduct } from "../../../workflows/runbooks/run/conduct.ts";
import type { Runbook } from "../../../workflows/runbooks/runbook.ts";
import type { Context } from "../../_kit/command.ts";
import { finders } from "../_load.ts";
import { findModule } from "../_modules.ts";
import { type ModelLink, openModelLink } from "./model_link.ts";

/** What is carried out. */
export interface Rehearsed {
  /** The runbook. */
  readonly runbook: Runbook;
  /** Values of its inputs. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** Answers to its questions. */
  readonly ask: Surroundings["ask"];
  /** Nodes at once for steps that disturb nobody. */
  readonly parallel: number;
  /** A random number from 0 to 1. */
  readonly random: () => number;
  /** Flags and the world of the command. */
  readonly context: Pick<Context<unknown>, "globals" | "world">;
}

/** One process. */
export interface ProcessOptions {
  /** The cluster. */
  readonly cluster: ModelCluster;
  /** Its life. */
  readonly life: Life;
  /** Its disk. */
  readonly disk: Disk;
  /** Puts something between it and its disk. */
  readonly through: Parameters<Disk["open"]>[0];
  /** Told what it does. */
  readonly tell: Surroundings["tell"];
}

/** Who runs it. */
const operator = "rehearsal@localhost";

/** Id of every run that is rehearsed. */
export const rehearsedId = "rehearsal";

/**
 * Carries a runbook out, or goes on with it, until it ends or the process does.
 *
 * @param rehearsed What is carried out.
 * @param options The process.
 */
export async function runModelProcess(
  rehearsed: Rehearsed,
  { cluster, life, disk, through, tell }: ProcessOptions,
): Promise<RunEnd> {
  const { runbook, inputs, ask, parallel, random, context } = rehearsed;
  const { clock, work } = life;
  using link = await openModelLink(cluster, life, disk.vault);
  const { journal, history } = await disk.open(
    (store) => life.store(through(store)),
    () => new Date(clock.now()),
  );
  const found = await work.during(() => foundIn(runbook, context, link));
  const hold = createHold({
    kubernetes: link.view.kubernetes,
    run: rehearsedId,
    operator,
    clock,
    needed: runbook.requires.needs.includes("kubernetes"),
    claimed: history.lease !== undefined,
    record: async (d) => void await journal.append({ t: "lease", d }),
    note: (message) => tell("note", { data: { message } }),
  });
  const locks = runbook.policy.lock === "cluster";
  if (locks) await hold.look();
  const facts = await link.cluster.readFacts();
  const soft = new AbortController();
  const end = await conduct({
    run: rehearsedId,
    runbook,
    inputs,
    clock,
    random,
    cluster: link.cluster,
    found: {
      ...found,
      module(name) {
        const module = found.module(name);
        return module && heldModule(module, work);
      },
    },
    checks: new Map(
      [...checks].map(([name, check]) => [name, heldCheck(check, work)]),
    ),
    journal,
    history,
    hold: locks ? hold : { ensure: () => Promise.resolve(undefined) },
    room: {
      artifacts: disk.artifacts,
      vault: {
        ...disk.vault,
        async put(name, value, fingerprint) {
          const handle = await disk.vault.put(name, value, fingerprint);
          const d = {
            name,
            ...(fingerprint === undefined ? {} : { fingerprint }),
          };
          await journal.append({ t: "secret", d });
          return handle;
        },
      },
      ring: link.ring,
    },
    ask,
    stop: { soft: soft.signal, hard: soft.signal },
    parallel,
    tell,
  }, {
    facts,
    start: { operator, inputs },
    artifacts: () => work.during(disk.files),
  });
  const ended = { ...history, start: {}, end: { state: end.state } };
  await hold.release(!isUnfinished({ history: ended }));
  return end;
}

function foundIn(
  { steps, rescue, always }: Runbook,
  { globals, world }: Rehearsed["context"],
  { nodes }: ModelLink,
): Promise<Found> {
  const names = [...allSteps([...steps, ...rescue, ...always])]
    .flatMap((step) => step.verb === "run" ? [step.module] : []);
  return findAll(names, {
    ...finders,
    module: findModule({ nodes, globals, world, reopen: () => nodes }),
  });
}
