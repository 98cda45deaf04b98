import { ConfigError, UsageError } from "../../errors.ts";
import { clusterSpecText } from "../../workflows/rehearsal/cluster_shape.ts";
import { parseFault } from "../../workflows/rehearsal/faults/parse_fault.ts";
import { loadRunbook } from "../../workflows/runbooks/language/loading/load.ts";
import type { ComparedNode } from "../../workflows/site/compare_site.ts";
import { assumeNode, modelSite } from "../../workflows/site/model_site.ts";
import {
  planSite,
  siteParts,
  siteRunbookName,
} from "../../workflows/site/plan_site.ts";
import type { Site } from "../../workflows/site/site.ts";
import {
  type Command,
  type Context,
  lines,
  strings,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import { rehearseRunbook } from "../_runbook/rehearse_runbook.ts";
import { rehearsalFlags } from "../_runbook/rehearsal_flags.ts";
import { compareLive, renderSite, siteSession } from "./_live.ts";
import {
  formatStages,
  onlyFlag,
  refuseExisting,
  toRunSources,
} from "./_run.ts";
import {
  selectSiteNodes,
  siteEnvironment,
  siteFlag,
  siteInputs,
} from "./_site.ts";

const { fault, matrix, invariants, seed, cases, parallel, report, output } =
  rehearsalFlags;

const inputs = {
  ...siteInputs,
  only: onlyFlag,
  offline: toggle(
    "ask no node: simulate the declared ones, as if all their configurations differed",
  ),
  new: strings("with --offline: nodes in maintenance mode, or @all", {
    complete: "nodes",
  }),
  ...{ fault, matrix, invariants, seed, cases, parallel, report, output },
};

type RehearseInputs = Values<typeof inputs>;

export const command = {
  summary: "Rehearse site apply on simulated nodes",
  description:
    `Runs what "osctl site apply" would run, with the same engine, on simulated nodes like those of the cluster: as many,
with their versions, and configurations that differ from the declared ones where theirs do. They have secrets of their
own. Nodes in maintenance mode get their first configuration and join, or create the cluster. Faults, matrices and
invariants are those of "osctl runbook rehearse".

With --offline no node is asked: the declared nodes are simulated, and every configuration is replaced with a reboot,
except that nodes of --new are in maintenance mode.`,
  output: "own",
  inputs,
  examples: [
    "site rehearse",
    "site rehearse --offline --fault 'node/worker-1: never-returns @ restart'",
    "site rehearse --offline --new @all",
    "site rehearse --matrix kill,network --report out",
  ],
  view: lines(() => ""),
  run,
} satisfies Command<never, RehearseInputs>;

// The report is written in its own formats.
// deno-lint-ignore require-yield
async function* run(context: Context<RehearseInputs>): AsyncGenerator<never> {
  const { input, note } = context;
  input.fault.forEach(parseFault);
  if (input.matrix.includes("nodes")) {
    throw new ConfigError("A site cannot be rehearsed with other nodes", {
      hint: "Use the matrices kill, kill-kinds, kill-calls and network",
    });
  }
  if (input.new.length > 0 && !input.offline) {
    throw new UsageError("Flag --new needs --offline");
  }
  const read = input.offline
    ? await assumeNodes(context)
    : await readNodes(context);
  const { spec, different, nodes, model } = await modelSite(
    read.site,
    read.nodes,
    siteEnvironment(context),
  );
  const made = await planSite(read.site, nodes, {
    only: siteParts.find((part) => part === input.only),
  });
  note(formatStages(made).trimEnd());
  if (made.text === "") return;
  const session = siteSession(context);
  const { load, secrets } = toRunSources(made, session);
  const { runbook } = await loadRunbook(siteRunbookName, load);
  const seed = input.seed || 1;
  await rehearseRunbook(context, {
    ...{ runbook, cluster: spec, different, model, seed },
    inputs: { values: { commit: "" }, secrets, given: new Set() },
    faults: input.fault,
    matrices: input.matrix,
    steps: session.steps,
    programs: "rehearsed",
    again: (faults, cluster) =>
      [
        `osctl site rehearse${siteFlag(input.site)}`,
        ...input.offline ? ["--offline"] : [],
        ...input.new.map((name) => `--new ${name}`),
        ...faults.map((one) => `--fault '${one}'`),
        `--seed ${seed} # ${clusterSpecText(cluster)}`,
      ].join(" "),
  });
}

/** What is rehearsed: the site, and its nodes. */
interface RehearsedSite {
  readonly site: Site;
  readonly nodes: readonly ComparedNode[];
}

async function readNodes(
  context: Context<RehearseInputs>,
): Promise<RehearsedSite> {
  const live = await compareLive(context);
  if (live.facts === undefined) await refuseExisting(context, live);
  return live;
}

async function assumeNodes(
  context: Context<RehearseInputs>,
): Promise<RehearsedSite> {
  const { site, rendered } = await renderSite(context);
  const names = context.input.new;
  const added = names.length === 0
    ? []
    : selectSiteNodes(site, { nodes: names, selector: undefined });
  const nodes = rendered.map((one) =>
    assumeNode(one, site, added.includes(one.node))
  );
  return { site, nodes };
}
