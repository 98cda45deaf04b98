import { single } from "../../transport/reply.ts";
import { pathProblem } from "../upgrade/version.ts";
import type { Check } from "./check.ts";
import {
  answerMs,
  counted,
  groupField,
  groupOf,
  problemsOf,
  unless,
} from "./finding.ts";

/** Whether nodes may go to a version from where they are. */
export const upgradePath: Check = {
  name: "upgrade.path",
  summary: "Every node may go to the version: not back, and no step too far",
  scope: "cluster",
  input: {
    to: { type: "semver", summary: "The version", required: true },
    maxMinorStep: {
      type: "int",
      summary: "Minor versions that may be taken at once",
      initial: 1,
    },
    group: groupField,
  },
  async look(site, input) {
    const to = String(input.to).replace(/^v?/, "v");
    const step = Number(input.maxMinorStep ?? 1);
    const nodes = await groupOf(site, input);
    const problems = await problemsOf(site, nodes, async ({ machine }) => {
      const answer = await machine.version({}, { deadlineMs: answerMs });
      const { version } = single(answer.messages);
      return pathProblem(version?.tag ?? "", to, step);
    });
    return unless(problems, `${counted(nodes.length, "node")} may go to ${to}`);
  },
};
