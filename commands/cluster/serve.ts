import { serveEmbedded } from "../../provisioners/mod.ts";
import { type ClusterInputs, clusterInputs, placeOf } from "../_kit/cluster.ts";
import { type Command, lines } from "../_kit/mod.ts";

/** `osctl cluster serve`: the background process of a simulated cluster. */
export const command: Command<string, ClusterInputs> = {
  summary: "Run the nodes of a simulated cluster in this process",
  hidden: true,
  output: "own",
  inputs: clusterInputs,
  view: lines(() => ""),
  async *run({ input, world, signal }) {
    await serveEmbedded(placeOf(input, world), signal);
  },
};
