import { RefusedError, UsageError } from "../../errors.ts";
import { parseFingerprint } from "../../pki/fingerprint.ts";
import {
  type RunRow,
  runView,
} from "../../workflows/runbooks/report/watch_run.ts";
import { startRun } from "../../workflows/runbooks/run/start_run.ts";
import { findPlaces } from "../../workflows/runbooks/store/run_paths.ts";
import {
  type Command,
  type Context,
  optionalWord,
  outputFlag,
  strings,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import { runFlags, supersedeFlag } from "../_runbook/run_flags.ts";
import { trustServers } from "../_session/server_trust.ts";
import {
  formatStages,
  onlyFlag,
  prepareSite,
  readSavedSite,
  refuseChangedSite,
  type SavedSite,
} from "./_run.ts";
import { requireAnswers } from "./_live.ts";
import { siteInputs } from "./_site.ts";

const inputs = {
  ...siteInputs,
  only: onlyFlag,
  ...runFlags,
  certFingerprint: strings(
    "accepted fingerprints of nodes in maintenance mode",
    { shown: "asked for" },
  ),
  trustAny: toggle(
    "send configurations to nodes in maintenance mode, whatever their fingerprints",
  ),
  supersede: supersedeFlag,
  output: outputFlag,
  plan: optionalWord("plan saved with site plan -o", { complete: "files" }),
};

type ApplyInputs = Values<typeof inputs>;

export const command: Command<RunRow, ApplyInputs> = {
  summary: "Make a cluster equal to its site",
  description:
    `Compares the site with its cluster, and makes the changes as one run: changed configurations roll out, then the
operating system is upgraded, then Kubernetes, and nodes in maintenance mode get their first configuration. "osctl runbook" resumes, stops and watches the run by its id as any
other. The new configurations are kept in the vault of the run, so that it resumes without the site.

If all control planes are in maintenance mode, and the context has the CA of the secrets of the site, the run creates
the cluster: it configures the control planes, bootstraps etcd on the first one, and configures the workers.

With a saved plan, exactly this plan is run; it is refused if the site, its versions or its nodes have changed since.
If nothing differs, nothing is started. Nodes that are not declared or have another role are never touched.
Nodes that do not answer are left alone, and the status is then 3.`,
  inputs,
  examples: [
    "site apply",
    "site apply --only os -n @workers",
    "site apply plan.json --yes",
  ],
  view: runView,
  run,
};

async function* run(context: Context<ApplyInputs>): AsyncGenerator<RunRow> {
  const { input, environment, note } = context;
  const { plan } = input;
  const saved = plan === undefined ? undefined : await readSavedSite(plan);
  const chosen = saved === undefined ? context : withSelection(context, saved);
  const prepared = await prepareSite(chosen, saved);
  const { made, nodes, session, request, waiting } = prepared;
  if (plan !== undefined && saved !== undefined) {
    refuseChangedSite(plan, saved, made);
  }
  note(formatStages(made).trimEnd());
  if (made.text === "") return requireAnswers(nodes);
  await trustNodes(context, waiting);
  const places = findPlaces(environment);
  yield* startRun(session, { ...input, ...request, plan }, { places });
  requireAnswers(nodes);
}

/** Verifies that the user trusts the nodes in maintenance mode. Throws `RefusedError` if not; nothing is sent. */
async function trustNodes(
  context: Context<ApplyInputs>,
  waiting: ReadonlyMap<string, string>,
): Promise<void> {
  if (waiting.size === 0) return;
  const accepted = context.input.certFingerprint.map(parseFingerprint);
  for (const [address, fingerprint] of waiting) {
    if (accepted.length === 0 || accepted.includes(fingerprint)) continue;
    throw new RefusedError(
      `Nothing was sent: ${address} has fingerprint ${fingerprint}`,
      { hint: "Compare it with the node's console" },
    );
  }
  const names = [...waiting.keys()];
  (await trustServers(context, names, "the configuration"))[Symbol.dispose]();
}

/** The selection of a saved plan. Throws `UsageError` if another one is given. */
function withSelection(
  context: Context<ApplyInputs>,
  { only, nodes, selector }: SavedSite,
): Context<ApplyInputs> {
  const { input, globals } = context;
  const isGiven = input.only !== undefined || globals.nodes.length > 0 ||
    globals.selector !== undefined;
  if (isGiven) {
    throw new UsageError(
      "A saved plan has its own --only, --nodes and --selector",
      {
        hint: "Omit these flags, or make another plan",
      },
    );
  }
  return {
    ...context,
    input: { ...input, only: only ?? undefined },
    globals: { ...globals, nodes, selector: selector ?? undefined },
  };
}
