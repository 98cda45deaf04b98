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

/** Whether nodes answer. */
export const nodesAllReachable: Check = {
  name: "nodes.allReachable",
  summary: "All nodes answer",
  scope: "cluster",
  input: { group: groupField },
  async look(site, input) {
    const nodes = await groupOf(site, input);
    const problems = await problemsOf(site, nodes, async ({ machine }) => {
      const answer = await machine.version({}, { deadlineMs: answerMs });
      single(answer.messages);
      return undefined;
    });
    return unless(problems, `${counted(nodes.length, "node")} answered`);
  },
};
