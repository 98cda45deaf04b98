/** Beginning a run: from a runbook and its inputs to its folder, and on. */

import { ConfigError } from "../../../errors.ts";
import {
  type Loaded,
  loadRunbook,
} from "../../../workflows/runbooks/load/load.ts";
import { inRange } from "../../../workflows/runbooks/load/version_range.ts";
import type { Runbook } from "../../../workflows/runbooks/runbook.ts";
import {
  createRun,
  makeRunFolder,
  newRunId,
  type OpenRun,
} from "../../../workflows/runbooks/run/run_folder.ts";
import { readPlan } from "../../../workflows/runbooks/planner/read_plan.ts";
import type { OpenVault } from "../../../workflows/vault/vault.ts";
import type { Context } from "../../_kit/mod.ts";
import { clockOf } from "../../_kit/operate.ts";
import { release } from "../../_kit/release.ts";
import type { RunRow } from "../_display/watch_run.ts";
import { type InputFlags, inputsOf } from "../_inputs.ts";
import { loadOptions } from "../_load.ts";
import { type CarryContext, carryOut } from "./carry_out.ts";
import { findIn } from "./find_in.ts";
import { limitOf } from "./limit.ts";
import { type Link, openLink, signalOf } from "./link.ts";
import { lockFor } from "./lock.ts";
import { operatorOf } from "./operator.ts";
import { openOutputFiles } from "../../../workflows/runbooks/run/output_files.ts";
import { refuseUnlike } from "../_plan/refuse_unlike.ts";
import type { RunPlaces } from "./places.ts";
import { refuseRole } from "./role.ts";
import type { RunFlags } from "./run_flags.ts";
import { handlesOf, keepSecrets, vaultOf } from "./secrets.ts";
import { supersede } from "./superseding.ts";

/** Flags of commands that begin runs. */
export interface BeginFlags
  extends RunFlags, InputFlags, Pick<CarryContext["input"], "output"> {
  /** File or builtin runbook. */
  readonly runbook: string;
  /** `--limit`. */
  readonly limit: readonly string[];
  /** `--supersede`. */
  readonly supersede: string | undefined;
  /** `--plan`. */
  readonly plan?: string | undefined;
}

/** Where a run is kept, and what it is known by. */
export interface BeginPlace {
  /** Where runs are. */
  readonly places: RunPlaces;
  /** Key of an outer engine, and the command that goes on. */
  readonly keyed?: { readonly key: string; readonly next: string };
}

/**
 * Begins a run and carries it out.
 *
 * @param context Flags and the world.
 * @param place Where it is kept.
 * @returns What {@linkcode carryOut} does.
 * @throws {ConfigError} If runbook, inputs or files are wrong; nothing was sent.
 * @throws {HeldError} If another run has the cluster.
 * @throws {RefusedError} If what a plan rests on has changed.
 */
export async function* beginRun(
  context: Context<BeginFlags>,
  { places, keyed }: BeginPlace,
): AsyncGenerator<RunRow> {
  const { input, world, note } = context;
  const loaded = await loadRunbook(input.runbook, loadOptions(world));
  refuseHere(loaded.runbook);
  const given = await inputsOf(loaded.runbook, context);
  const plan = input.plan === undefined
    ? undefined
    : await readPlan(input.plan);
  using outputs = await openOutputFiles(input);
  const clock = clockOf(world);
  const operator = operatorOf(world);
  const ended = new AbortController();
  const kept: { vault?: OpenVault } = {};
  using link = await openLink({
    context,
    vault: { read: (handle) => vaultIn(kept).read(handle) },
    clock,
    signal: signalOf(context, ended.signal),
  });
  try {
    refuseRole(loaded.runbook, link.crt);
    const facts = await link.cluster.readFacts();
    const { cluster } = facts;
    const limit = limitOf(input.limit, {
      facts,
      runbook: loaded.runbook,
      now: clock.now,
    });
    if (plan !== undefined) {
      await refuseUnlike(plan, {
        runbook: loaded.runbook,
        inputs: { ...given.values, ...handlesOf(given.secrets.keys()) },
        facts,
        found: await findIn(loaded.runbook, context, link),
        now: clock.now,
        ...(limit === undefined ? {} : { limit: new Set(limit) }),
      });
    }
    const id = newRunId(world.now());
    using _ = await lockFor(loaded.runbook, {
      places,
      cluster: cluster.id,
      except: [input.supersede],
    });
    if (input.supersede !== undefined) {
      await supersede({
        runs: places.runs,
        old: input.supersede,
        by: id,
        cluster: cluster.id,
        operator,
        now: world.now,
        note,
      });
    }
    const folder = await makeRunFolder(places.runs, id);
    const vault = await vaultOf({
      folder,
      id,
      keyFile: input.vaultKey,
      keys: places.keys,
      world,
    });
    kept.vault = vault;
    const secrets = await keepSecrets(vault, given.secrets);
    const inputs = { ...given.values, ...secrets };
    using run = await folderOf(loaded, context, {
      places,
      link,
      header: {
        id,
        inputs,
        operator,
        cluster: { id: cluster.id, name: cluster.name },
        ...(keyed === undefined ? {} : { key: keyed.key }),
        ...(limit === undefined ? {} : { limit }),
      },
    });
    note(`Run ${id} in ${run.folder}`);
    const found = await findIn(run.runbook, context, link);
    yield* carryOut(context, {
      run,
      link,
      vault,
      found,
      facts,
      inputs,
      clock,
      operator,
      next: keyed?.next ?? `osctl runbook resume ${id}`,
      supersede: input.supersede,
    }, outputs);
  } finally {
    ended.abort();
  }
}

type Header = Parameters<typeof createRun>[1];

/** Makes the folder, which is when the run is there. */
function folderOf(
  { runbook, files }: Loaded,
  { input, world }: Context<BeginFlags>,
  { places, link, header }: {
    readonly places: RunPlaces;
    readonly link: Link;
    readonly header: Omit<
      Header,
      "runbook" | "source" | "files" | "context" | "version" | "at"
    >;
  },
): Promise<OpenRun> {
  const whole: Header = {
    ...header,
    runbook: runbook.name,
    source: files[0]?.path ?? input.runbook,
    files: Object.fromEntries(files.map(({ path, sha256 }) => [path, sha256])),
    context: link.context,
    version: release.tag,
    at: world.now().toISOString(),
  };
  return createRun(places.runs, whole, runbook, files, world.now);
}

function vaultIn({ vault }: { readonly vault?: OpenVault }): OpenVault {
  if (vault === undefined) throw new TypeError("There is no vault yet");
  return vault;
}

/**
 * Refuses what cannot be carried out by itself, or with this client.
 *
 * @param runbook The runbook.
 * @throws {ConfigError} If it is about one node, or needs another version.
 */
export function refuseHere({ name, per, requires }: Runbook): void {
  if (per === "node") {
    throw new ConfigError(
      `Runbook "${name}" is about one node and is only used inside of others`,
      { hint: "Use it in a forEach of another runbook" },
    );
  }
  const range = requires.osctl;
  // A build on the way to a version counts as that version.
  const version = release.tag.replace(/-.*/, "");
  if (range === undefined || inRange(version, range)) return;
  throw new ConfigError(
    `Runbook "${name}" needs osctl ${range}, and this is ${release.tag}`,
    { hint: "Use another version of osctl" },
  );
}
