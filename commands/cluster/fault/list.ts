import {
  knownFaults,
  readState,
  wantedFaults,
} from "../../../provisioners/mod.ts";
import {
  type ExistingInputs,
  existingInputs,
  findCluster,
} from "../_cluster.ts";
import { type Command, table } from "../../_kit/mod.ts";

/** A fault of simulated nodes. */
interface FaultRow {
  readonly fault: string;
  /** Addresses of the nodes where it is enabled. */
  readonly nodes: readonly string[];
  /** Effect on a node. */
  readonly description: string;
}

export const command: Command<FaultRow, ExistingInputs> = {
  summary: "List faults and the nodes that have them",
  inputs: existingInputs,
  view: table({
    FAULT: (row) => row.fault,
    ON: (row) => row.nodes.join(",") || "-",
    DESCRIPTION: { cell: (row) => row.description, prose: true },
  }),
  async *run(context) {
    const place = await findCluster(context);
    const wanted = await readState(place) === undefined
      ? []
      : await wantedFaults(place);
    for (const { name, description } of knownFaults) {
      const on = wanted.filter(({ fault }) => fault === name);
      yield { fault: name, nodes: on.map(({ node }) => node), description };
    }
  },
};
