import { allMembers } from "../../transport/node/members.ts";
import { viewCluster } from "../../workflows/operations/cluster_view.ts";
import { reportTrust, type TrustRow } from "../../workflows/ca/report.ts";
import { short } from "../../workflows/ca/certificate_text.ts";
import { type Command, table } from "../_kit/mod.ts";
import { clockOf } from "../../workflows/operations/run_on_nodes.ts";

/** `osctl ca report`: whom each node trusts. */
export const command: Command<TrustRow> = {
  summary: "Show which authorities each node trusts",
  description:
    `For each node two rows: the authority of the node API, and that of Kubernetes. ISSUING is who signs, ACCEPTED who is
accepted besides; both are the beginning of the SHA-256 of a certificate, and whole with -o json. Nodes that do not
agree are in the middle of an exchange: see osctl rotate-ca. Without --nodes all members of the cluster are asked.`,
  section: "cluster",
  inputs: {},
  examples: ["ca report", "ca report --nodes @controlplane -o jsonl"],
  view: table({
    NODE: ({ node }) => node,
    AUTHORITY: ({ kind }) => kind,
    ISSUING: ({ issuing }) => issuing === null ? "" : short(issuing),
    ACCEPTED: ({ accepted }) => accepted.map(short).join(","),
    ERROR: ({ error }) => error ?? "",
  }),
  async *run({ globals, nodes, environment }) {
    using cluster = viewCluster(nodes, clockOf(environment));
    const names = globals.nodes.length > 0 ? await nodes.names() : allMembers(
      await cluster.members(),
      "Name the nodes with --nodes",
    ).map(({ address }) => address);
    yield* await reportTrust(cluster, names);
  },
};
