import {
  type AssessedNode,
  assessEtcd,
} from "../../workflows/operations/etcd/etcd_state.ts";
import { viewCluster } from "../../workflows/operations/cluster_view.ts";
import { type Command, stateTone, table } from "../_kit/mod.ts";
import { makeClock } from "../../workflows/operations/run_on_nodes.ts";

export const command: Command<AssessedNode> = {
  summary: "Assess the health of etcd for a recovery",
  description:
    `Checks all control planes, regardless of the selected nodes. Standard error reports whether etcd has quorum; if it does not,
and its members do not come back, use the runbook etcd-recovery.`,
  inputs: {},
  examples: ["etcd assess", "etcd assess -o jsonl"],
  view: table({
    NODE: { cell: ({ node }) => node, name: true },
    REACHABLE: {
      cell: ({ reachable }) => String(reachable),
      tone: ({ reachable }) => reachable ? "good" : "bad",
    },
    SERVICE: {
      cell: ({ service }) => service,
      tone: ({ service }) => stateTone(service),
    },
    DATA: ({ dataDir }) => dataDir,
  }),
  async *run({ nodes, environment, signal, note }) {
    using cluster = viewCluster(nodes, makeClock(environment));
    const assessment = await assessEtcd({ cluster, signal });
    const { quorum, voters, healthy, needed } = assessment;
    yield* assessment.nodes;
    const decides = quorum ? "etcd has a quorum" : "etcd has lost its quorum";
    note(
      voters === 0
        ? `${decides}: no member lists the others`
        : `${decides}: ${voters} voters, ${healthy} healthy, ${needed} needed`,
    );
  },
};
