import { ConfigError } from "../../errors.ts";
import {
  clusterSpecText,
  listModelNodes,
} from "../../workflows/rehearsal/cluster_shape.ts";
import { parseFault } from "../../workflows/rehearsal/faults/parse_fault.ts";
import { sharedSecrets } from "../../workflows/rehearsal/model/shared_secrets.ts";
import type { NodeFacts } from "../../workflows/runbook_cel/facts.ts";
import { loadRunbook } from "../../workflows/runbooks/language/loading/load.ts";
import type { ComparedNode } from "../../workflows/site/compare_site.ts";
import {
  inModelOrder,
  modelSite,
  toDeclared,
} from "../../workflows/site/model_site.ts";
import {
  planSite,
  siteParts,
  siteRunbookName,
} from "../../workflows/site/plan_site.ts";
import {
  type Command,
  type Context,
  lines,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import { likeLive, rehearseRunbook } from "../_runbook/rehearse_runbook.ts";
import { rehearsalFlags } from "../_runbook/rehearsal_flags.ts";
import { compareLive, renderSite, siteSession } from "./_live.ts";
import { formatStages, onlyFlag, toRunSources } from "./_run.ts";
import { siteEnvironment, siteInputs } from "./_site.ts";

const { fault, matrix, invariants, seed, cases, parallel, report, output } =
  rehearsalFlags;

const inputs = {
  ...siteInputs,
  only: onlyFlag,
  offline: toggle(
    "ask no node: simulate the declared ones, as if all their configurations differed",
  ),
  ...{ fault, matrix, invariants, seed, cases, parallel, report, output },
};

type RehearseInputs = Values<typeof inputs>;

export const command = {
  summary: "Rehearse site apply on simulated nodes",
  description:
    `Runs what "osctl site apply" would run, with the same engine, on simulated nodes like those of the cluster: as many,
with their versions, and configurations that differ from the declared ones where theirs do. They have secrets of their
own. Nodes that are no members yet are left out. Faults, matrices and invariants are those of "osctl runbook rehearse".

With --offline no node is asked: the declared nodes are simulated, and every configuration is replaced with a reboot.`,
  output: "own",
  inputs,
  examples: [
    "site rehearse",
    "site rehearse --offline --fault 'node/worker-1: never-returns @ restart'",
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
  const read = input.offline
    ? toOffline(await renderSite(context))
    : await compareLive(context);
  const members = inModelOrder(read.nodes.flatMap(toMember));
  const like = likeLive(members.map(({ facts }) => facts));
  const { secrets } = await sharedSecrets();
  const nodes = listModelNodes(like.spec).flatMap((one, index) => {
    const compared = members[index];
    return compared === undefined ? [] : [{ ...one, compared }];
  });
  const environment = siteEnvironment(context);
  const model = await modelSite(read.site, nodes, secrets, environment);
  const made = await planSite(read.site, model.nodes, {
    only: siteParts.find((part) => part === input.only),
  });
  note(formatStages(made).trimEnd());
  if (made.text === "") return;
  const session = siteSession(context);
  const { load, secrets: inputSecrets } = toRunSources(made, session);
  const { runbook } = await loadRunbook(siteRunbookName, load);
  const seed = input.seed || 1;
  const kubernetes = members[0]?.facts.kubernetesVersion.replace(/^v/, "");
  await rehearseRunbook(context, {
    runbook,
    inputs: {
      values: { commit: "" },
      secrets: inputSecrets,
      given: new Set(),
    },
    cluster: like.spec,
    different: like.different,
    model: {
      ...kubernetes ? { kubernetes } : {},
      configuration: (index) => model.configurations[index] || undefined,
    },
    seed,
    faults: input.fault,
    matrices: input.matrix,
    steps: session.steps,
    programs: "rehearsed",
    again: (faults, cluster) =>
      [
        "osctl site rehearse",
        input.offline ? "--offline" : "",
        ...faults.map((one) => `--fault '${one}'`),
        `--seed ${seed} # ${clusterSpecText(cluster)}`,
      ].filter((part) => part !== "").join(" "),
  });
}

type Member = ComparedNode & {
  readonly role: string;
  readonly facts: NodeFacts;
};

function toMember(compared: ComparedNode): readonly Member[] {
  const { facts } = compared;
  return facts === undefined ? [] : [{ ...compared, role: facts.role, facts }];
}

/** The declared nodes as if they ran everything but their configurations. */
function toOffline(
  { site, rendered }: Awaited<ReturnType<typeof renderSite>>,
) {
  const { kubernetesVersion } = site;
  const nodes = rendered.map((one) => toDeclared(one, kubernetesVersion));
  return { site, nodes };
}
