import { readMachineState } from "../operations/machine_state.ts";
import type { Check } from "./check.ts";
import { holds, lacks, nodeField, nodeOf } from "./finding.ts";

/** Whether a node has booted and calls itself ready. */
export const nodeReady: Check = {
  name: "node.ready",
  summary: "The node has booted and calls itself ready",
  scope: "node",
  input: { node: nodeField },
  async look(site, input) {
    const client = await site.cluster.at(nodeOf(site, input));
    const { stage, ready, unmet } = await readMachineState(client);
    if (stage !== "running") return lacks(`stage is ${stage || "not known"}`);
    return ready
      ? holds("running and ready")
      : lacks(["not ready", ...unmet].join("; "));
  },
};
