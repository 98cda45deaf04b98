import { DifferentError } from "../../errors.ts";
import type { NodeComparison } from "../../workflows/site/compare_site.ts";
import { type Command, textual, toggle, type Values } from "../_kit/mod.ts";
import { compareLive, requireAnswers } from "./_live.ts";
import { siteInputs } from "./_site.ts";
import { formatComparison } from "./_comparison_text.ts";

const inputs = {
  ...siteInputs,
  exitCode: toggle("exit with status 6 if there are differences"),
};

export const command = {
  summary: "Compare a site with its cluster",
  description:
    `Asks every node once, and shows by node what differs from the site: configuration, OS version, schematic, images of
Kubernetes, role and membership, and what each difference needs: nothing, a reboot, an upgrade, an installation or a
reset. Without --nodes and --selector, members that are not declared are shown as well. Only values of configurations
known to be harmless are shown; all others are redacted, and marked if they differ.

Nodes that do not answer are errors: the status is then 3. With --exit-code, the status is 6 if there are differences.`,
  inputs,
  examples: ["site diff", "site diff -n @workers -o json --exit-code"],
  view: textual<NodeComparison>(formatComparison),
  async *run(context) {
    const { nodes } = await compareLive(context);
    const rows = nodes.map(({ row }) => row);
    yield* rows;
    requireAnswers(nodes);
    if (context.input.exitCode && rows.some(({ state }) => state !== "equal")) {
      throw new DifferentError("The site and its cluster differ");
    }
  },
} satisfies Command<NodeComparison, Values<typeof inputs>>;
