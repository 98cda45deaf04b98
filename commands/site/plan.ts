import { writeFileAtomic } from "../../lib/files/atomic_file.ts";
import { readEarlierTimes } from "../../workflows/runbooks/plan/earlier_times.ts";
import { planText } from "../../workflows/runbooks/report/plan_view.ts";
import { planSummary } from "../../workflows/runbooks/report/plan_summary.ts";
import { findPlaces } from "../../workflows/runbooks/store/run_paths.ts";
import { maskValue, processMasker } from "../../lib/masker.ts";
import {
  type Command,
  text,
  textual,
  toggle,
  type Values,
} from "../_kit/mod.ts";
import { planRun, refusePlan } from "../_runbook/plan_run.ts";
import { formatStages, onlyFlag, prepareSite, type SavedSite } from "./_run.ts";
import { requireAnswers } from "./_live.ts";
import { siteFlag, siteInputs } from "./_site.ts";

const inputs = {
  ...siteInputs,
  only: onlyFlag,
  details: toggle("show every step on every node"),
  output: text("file for the plan, for site apply", {
    short: "o",
    complete: "files",
  }),
};

export const command = {
  summary: "Show what site apply would do",
  description:
    `Compares the site with its cluster, and shows the order of the changes, the nodes that are left alone, and what the run
does on which nodes, how many at once, what stops it, which approvals it needs and about how long it takes; with
--details, every step on every node. Nothing is changed.

The changes are one run of the runbooks config-rollout, rolling-upgrade and upgrade-kubernetes. Nodes that are not
declared or have another role are never touched.

With --output, the plan is saved: "osctl site apply FILE" runs exactly this plan, and is refused if the site, its
versions or its nodes have changed since. If a run would be refused, the reasons come first and the status is 5.
Nodes that do not answer are left alone, and the status is then 3.`,
  inputs,
  examples: ["site plan", "site plan --only config -n @workers -o plan.json"],
  output: "own",
  view: textual<string>((line) => line),
  writes: true,
  async *run(context) {
    const { input, globals, note, environment } = context;
    const { output, only, details } = input;
    const prepared = await prepareSite(context);
    const { made, nodes, session, request, commit } = prepared;
    if (made.text === "") {
      yield formatStages(made);
      return requireAnswers(nodes);
    }
    yield `Changes, in this order:\n${formatStages(made)}`;
    const planned = await planRun(session, { ...request, parallel: 32 });
    const plan = maskValue(planned.plan, processMasker.mask);
    const { stdout } = environment;
    const columns = stdout.columns();
    const earlier = await readEarlierTimes(findPlaces(environment).runs, {
      runbook: plan.runbook,
      cluster: plan.cluster.id,
    });
    yield `\n${
      details
        ? planText(plan, { columns, earlier, given: planned.given })
        : planSummary(plan, { columns, earlier, given: new Set() })
    }`;
    refusePlan(plan, stdout.terminal);
    if (output === undefined) return requireAnswers(nodes);
    const site = {
      only: only ?? null,
      nodes: globals.nodes,
      selector: globals.selector ?? null,
      commit,
      digests: made.digests,
    };
    const saved = { ...plan, site: site satisfies Omit<SavedSite, "only"> };
    await writeFileAtomic(output, `${JSON.stringify(saved)}\n`);
    note(`Apply it with: osctl site apply ${output}${siteFlag(input.site)}`);
    requireAnswers(nodes);
  },
} satisfies Command<string, Values<typeof inputs>>;
