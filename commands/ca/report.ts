import { exitStatus, OutcomeError, RpcError } from "../../errors.ts";
import { namesNodes } from "../_kit/globals.ts";
import { allMembers } from "../../transport/node/members.ts";
import { viewCluster } from "../../workflows/operations/cluster_view.ts";
import { type CaTrustRow, reportTrust } from "../../workflows/ca/report.ts";
import { short } from "../../workflows/ca/certificate_text.ts";
import { type Command, table } from "../_kit/mod.ts";
import { makeClock } from "../../workflows/operations/run_on_nodes.ts";

export const command: Command<CaTrustRow> = {
  summary: "Show the CAs each node trusts",
  description:
    `Prints two rows for each node: the CA of the node API and the CA of Kubernetes. ISSUING is the CA that signs
certificates, ACCEPTED the others that are trusted; both are shown as the start of the certificate's SHA-256, in full
with -o json. Nodes that differ are in the middle of a rotation: see "osctl rotate-ca". Without --nodes, all members of
the cluster are asked.`,
  inputs: {},
  examples: ["ca report", "ca report --nodes @controlplane -o jsonl"],
  view: table({
    NODE: ({ node }) => node,
    CA: ({ kind }) => kind,
    ISSUING: ({ issuing }) => issuing === null ? "" : short(issuing),
    ACCEPTED: ({ accepted }) => accepted.map(short).join(","),
    ERROR: {
      cell: ({ error }) => error ?? "",
      tone: () => "bad",
      prose: true,
      priority: 1,
    },
  }),
  async *run({ globals, nodes, environment }) {
    using cluster = viewCluster(nodes, makeClock(environment));
    const names = namesNodes(globals) ? await nodes.names() : allMembers(
      await cluster.members(),
      "Name the nodes with --nodes",
    ).map(({ address }) => address);
    let isDenied = false;
    const rows = await reportTrust(cluster, names, {}, (error) => {
      isDenied ||= error instanceof RpcError &&
        error.code === "PERMISSION_DENIED";
    });
    yield* rows;
    const failures = new Map(
      rows.flatMap(({ node, error }) => error === null ? [] : [[node, error]]),
    );
    const [first] = failures;
    if (first === undefined) return;
    const isPartial = failures.size < names.length;
    throw new OutcomeError(
      isPartial ? "partial" : "failed",
      `${failures.size} of ${names.length} nodes did not answer: ${
        first.join(": ")
      }`,
      isPartial ? exitStatus.partial : exitStatus.failed,
      // The role of the caller is reported then.
      isDenied
        ? { code: "PERMISSION_DENIED" }
        : { hint: "Diagnose it with: osctl doctor connect" },
    );
  },
};
