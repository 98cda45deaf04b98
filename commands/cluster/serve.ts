import { serveCluster } from "../../provisioners/mod.ts";
import {
  type ClusterInputs,
  clusterInputs,
  locateCluster,
} from "./_cluster.ts";
import { serveImages } from "../_image_server.ts";
import { type Command, lines } from "../_kit/mod.ts";

/** A cluster served by this process. */
interface ServedRow {
  readonly name: string;
  /** `host:port` or host of each control plane. */
  readonly endpoints: readonly string[];
}

export const command: Command<ServedRow, ClusterInputs> = {
  summary: "Run the nodes of a cluster in this process",
  hidden: true,
  inputs: clusterInputs,
  view: lines(({ name }) => `Cluster "${name}" is running`),
  async *run({ input, environment, signal }) {
    const place = locateCluster(input, environment);
    const options = { signal, serveImages };
    for await (const endpoints of serveCluster(place, options)) {
      yield { name: input.name, endpoints };
    }
  },
};
