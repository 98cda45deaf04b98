import { single } from "../../transport/call/reply.ts";
import type { Check } from "./check.ts";
import {
  answerMs,
  counted,
  groupField,
  groupOf,
  problemsOf,
  unless,
} from "./finding.ts";

/** Whether nodes run a version. */
export const nodesVersion: Check = {
  name: "nodes.version",
  summary: "All nodes run one version of the system",
  scope: "cluster",
  input: {
    version: {
      type: "semver",
      summary: "The version",
      required: true,
    },
    group: groupField,
  },
  async look(site, input) {
    const wanted = String(input.version).replace(/^v?/, "v");
    const nodes = await groupOf(site, input);
    const problems = await problemsOf(site, nodes, async ({ machine }) => {
      const answer = await machine.version({}, { deadlineMs: answerMs });
      const tag = single(answer.messages).version?.tag ?? "";
      return tag === wanted ? undefined : `runs ${tag || "an unknown version"}`;
    });
    return unless(problems, `${counted(nodes.length, "node")} with ${wanted}`);
  },
};
