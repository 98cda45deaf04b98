import { ConfigError, RefusedError, UsageError } from "../../errors.ts";
import { parseFingerprint } from "../../pki/fingerprint.ts";
import { confirm, prompter } from "../../terminal/prompt.ts";
import { openNodes } from "../../transport/node/open_nodes.ts";
import { prepareInitial } from "../../workflows/modules/config_initial.ts";
import { viewCluster } from "../../workflows/operations/cluster_view.ts";
import { runOnNodes } from "../../workflows/operations/run_on_nodes.ts";
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
import { noJournal } from "../_kit/operate.ts";
import { runFlags, supersedeFlag } from "../_runbook/run_flags.ts";
import { trustServers } from "../_session/server_trust.ts";
import {
  findFirst,
  formatStages,
  onlyFlag,
  type PreparedSite,
  prepareSite,
  readSavedSite,
  refuseChangedSite,
  type SavedSite,
} from "./_run.ts";
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

If all control planes are in maintenance mode, the first one is configured before the run, which then creates the
cluster.

With a saved plan, exactly this plan is run; it is refused if the site, its versions or its nodes have changed since.
If nothing differs, nothing is started. Nodes that are not declared or have another role are never touched.`,
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
  let prepared = await prepareSite(chosen, saved);
  if (prepared.facts === undefined && saved === undefined) {
    await configureFirst(context, prepared);
    prepared = await prepareSite(context);
  }
  const { made, session, request, waiting } = prepared;
  if (plan !== undefined && saved !== undefined) {
    refuseChangedSite(plan, saved, made);
  }
  note(formatStages(made).trimEnd());
  if (made.text === "") return;
  await trustNodes(context, waiting);
  const places = findPlaces(environment);
  yield* startRun(session, { ...input, ...request, plan }, { places });
}

/** Configures the first control plane of a new cluster, and waits until it has joined. */
async function configureFirst(
  context: Context<ApplyInputs>,
  live: PreparedSite,
): Promise<void> {
  const { environment, note, signal } = context;
  const { site, bundle, session: { clock, connect }, waiting } = live;
  const { first, line } = await findFirst(context, live);
  note(line);
  const to = await connect(undefined, signal);
  const plain = (pem = "") => pem.replaceAll(/\s/g, "");
  if (!plain(to.identity.ca).includes(plain(atob(bundle.certs.os.crt)))) {
    throw new ConfigError(
      `Context "${to.context}" has another CA than the secrets of site "${site.file}"`,
      { hint: "Choose the context of the site with --context" },
    );
  }
  await trustNodes(context, waiting);
  const { row: { node, address }, rendered } = first;
  if (context.input.yes.length === 0) {
    using prompts = prompter(context);
    const question = `Create cluster "${site.clusterName}", ${node} first`;
    if (!await confirm(prompts, question, "Pass --yes")) {
      throw new RefusedError("The new cluster was not confirmed", {
        hint: "Nothing was sent",
      });
    }
  }
  const fingerprint = waiting.get(address) ?? "";
  const text = rendered?.text ?? "";
  const nodes = openNodes(to);
  using _ = { [Symbol.dispose]: nodes.close };
  using view = viewCluster(nodes, clock);
  await Array.fromAsync(runOnNodes({ nodes, environment, note, signal }, {
    ...await prepareInitial(text, { address, fingerprint }),
    names: [address],
    endpoints: [],
    journal: noJournal,
    // The cluster does not exist yet, so it cannot be asked for addresses.
    view: { ...view, unconfigured: nodes.unconfigured },
    clock,
    wait: true,
    timeout: undefined,
    allow: [],
  }));
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
