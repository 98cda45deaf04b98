import { ConfigError } from "../../errors.ts";
import { folderOf, readState, removeEmbedded } from "../../provisioners/mod.ts";
import {
  type ClusterInputs,
  clusterInputs,
  dropContext,
  placeOf,
} from "../_kit/cluster.ts";
import { type Command, lines, toggle } from "../_kit/mod.ts";
import { exists } from "../_kit/exists.ts";

/** A cluster that was destroyed. */
export interface DestroyedRow {
  /** Name of the cluster. */
  readonly name: string;
}

/** Inputs of the command. */
export interface DestroyInputs extends ClusterInputs {
  /** `--force`. */
  readonly force: boolean;
}

/** `osctl cluster destroy`: removes a cluster and everything that was made for it. */
export const command: Command<DestroyedRow, DestroyInputs> = {
  summary: "Destroy a cluster on this machine",
  description:
    "Its nodes are stopped, its folder is removed, and its context is taken out of the client configuration.",
  inputs: {
    ...clusterInputs,
    force: toggle("remove the folder also when its state cannot be read", {
      short: "f",
    }),
  },
  examples: ["cluster destroy", "cluster destroy --name lab"],
  view: lines(({ name }) => `Cluster "${name}" is destroyed`),
  async *run({ input, world }) {
    const place = placeOf(input, world);
    const state = await readState(place).catch((error) => {
      if (!input.force) throw error;
      return undefined;
    });
    if (state === undefined && !input.force && !await exists(folderOf(place))) {
      throw new ConfigError(
        `Cannot find cluster "${input.name}" in "${place.state}"`,
        {
          hint: "List the clusters with: osctl cluster show --all",
        },
      );
    }
    await removeEmbedded(place);
    if (state?.osconfig !== undefined) {
      await dropContext(state.osconfig.path, state.osconfig.context);
    }
    yield { name: input.name };
  },
};
