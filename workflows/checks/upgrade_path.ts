import type { NodeClient } from "../../transport/call/client.ts";
import { single } from "../../transport/call/reply.ts";
import { readKubeletVersion } from "../upgrade/kubelet_version.ts";
import { kubernetesProblem } from "../upgrade/kubernetes_range.ts";
import { pathProblem } from "../upgrade/version.ts";
import type { Check } from "./check.ts";
import {
  answerMs,
  counted,
  groupField,
  groupOf,
  unlessLoosened,
} from "./finding.ts";

/** Whether nodes may go to a version from where they are. */
export const upgradePath: Check = {
  name: "upgrade.path",
  summary:
    "Every node may go to the version: not back, no step too far, and with its Kubernetes",
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
    const look = async (client: NodeClient) => {
      const answer = await client.machine.version({}, { deadlineMs: answerMs });
      const { version } = single(answer.messages);
      const problems = [
        pathProblem(version?.tag ?? "", to, step),
        kubernetesProblem(await readKubeletVersion(client), to),
      ].filter((problem) => problem !== undefined);
      return problems.length === 0 ? undefined : problems.join(", ");
    };
    const seen = `${counted(nodes.length, "node")} may go to ${to}`;
    return await unlessLoosened(site, "version-path", nodes, look, seen);
  },
};
