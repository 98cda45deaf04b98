import { ConfigError } from "../../errors.ts";
import { locateRuns } from "../../config/location.ts";
import { loadRunbook } from "../../workflows/runbooks/load/load.ts";
import { inRange } from "../../workflows/runbooks/load/version_range.ts";
import type { Runbook } from "../../workflows/runbooks/runbook.ts";
import {
  createRun,
  newRunId,
  runFolder,
} from "../../workflows/runbooks/run/run_folder.ts";
import type { OpenVault } from "../../workflows/vault/vault.ts";
import {
  type Command,
  type Context,
  outputFlag,
  stringArray,
  word,
} from "../_kit/mod.ts";
import { clockOf } from "../_kit/operate.ts";
import { release } from "../_kit/release.ts";
import type { RunRow } from "./_display/watch_run.ts";
import { type InputFlags, inputFlags, inputsOf } from "./_inputs.ts";
import { loadOptions } from "./_load.ts";
import { type CarryContext, carryOut, runView } from "./_run/carry_out.ts";
import { findIn } from "./_run/find_in.ts";
import { limitOf } from "./_run/limit.ts";
import { openLink } from "./_run/link.ts";
import { lockFor } from "./_run/lock.ts";
import { operatorOf } from "./_run/operator.ts";
import { type RunFlags, runFlags } from "./_run/run_flags.ts";
import { keepSecrets, vaultOf } from "./_run/secrets.ts";

/** Inputs of the command. */
export interface RunInputs
  extends RunFlags, InputFlags, Pick<CarryContext["input"], "output"> {
  /** File or builtin runbook. */
  readonly runbook: string;
  /** `--limit`. */
  readonly limit: readonly string[];
}

/** `osctl runbook run`: carries a runbook out. */
export const command: Command<RunRow, RunInputs> = {
  summary: "Carry a runbook out",
  description:
    `Everything that is done is written down before, so that a run whose process died is gone on with by
osctl runbook resume. The first Ctrl-C stops it at the next safe point, the second one waits for nothing.

On a terminal questions are asked; elsewhere the run stops before a question that --yes does not answer, with status 76.`,
  output: "own",
  inputs: {
    ...inputFlags,
    limit: stringArray(
      "only nodes of that name, or for which the condition holds; repeatable",
    ),
    ...runFlags,
    output: outputFlag,
    runbook: word("file, or name of a runbook of the program", {
      complete: "files",
    }),
  },
  examples: [
    "runbook run rolling-upgrade --input version=v1.13.4",
    "runbook run ./upgrade.runbook.yaml --inputs values.yaml --yes",
  ],
  view: runView,
  run,
};

async function* run(context: Context<RunInputs>): AsyncGenerator<RunRow> {
  const { input, world, note } = context;
  const { runbook, files } = await loadRunbook(
    input.runbook,
    loadOptions(world),
  );
  refuseHere(runbook);
  const { values, secrets } = await inputsOf(runbook, context);
  const clock = clockOf(world);
  const ended = new AbortController();
  const kept: { vault?: OpenVault } = {};
  using link = await openLink({
    context,
    vault: { read: (handle) => vaultIn(kept).read(handle) },
    clock,
    signal: ended.signal,
  });
  try {
    const facts = await link.cluster.readFacts();
    const { cluster } = facts;
    const runs = locateRuns(world.env);
    using _ = await lockFor(runbook, cluster.id, context);
    const id = newRunId(world.now());
    const limit = limitOf(input.limit, facts, runbook);
    const folder = runFolder(runs, id);
    await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
    kept.vault = await vaultOf({ folder, id, keyFile: input.vaultKey, world });
    const inputs = { ...values, ...await keepSecrets(kept.vault, secrets) };
    const operator = operatorOf(world);
    using open = await createRun(
      runs,
      {
        id,
        runbook: runbook.name,
        source: files[0]?.path ?? input.runbook,
        files: Object.fromEntries(
          files.map(({ path, sha256 }) => [path, sha256]),
        ),
        inputs,
        context: link.context,
        cluster: { id: cluster.id, name: cluster.name },
        operator,
        version: release.tag,
        at: world.now().toISOString(),
        ...(limit === undefined ? {} : { limit }),
      },
      runbook,
      files,
      world.now,
    );
    note(`Run ${id} in ${open.folder}`);
    yield* carryOut(context, {
      run: open,
      link,
      vault: kept.vault,
      found: await findIn(open.runbook, context, link),
      facts,
      inputs,
      clock,
      operator,
    });
  } finally {
    ended.abort();
  }
}

function vaultIn({ vault }: { readonly vault?: OpenVault }): OpenVault {
  if (vault === undefined) throw new TypeError("There is no vault yet");
  return vault;
}

/** What cannot be carried out by itself, or with this client. */
function refuseHere({ name, per, requires }: Runbook): void {
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
