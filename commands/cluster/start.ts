import { startEmbedded } from "../../provisioners/mod.ts";
import { clusterInputs, placeOf } from "./_cluster.ts";
import {
  type AnyCommand,
  type Command,
  duration,
  lines,
  type Values,
} from "../_kit/mod.ts";
import { working } from "../../transport/call/open_calls.ts";

/** A cluster that runs. */
export interface StartedRow {
  /** Name of the cluster. */
  readonly name: string;
  /** `host:port` or host of every control plane. */
  readonly endpoints: readonly string[];
}

const inputs = {
  ...clusterInputs,
  waitTimeout: duration("timeout for the nodes to become ready", {
    initial: "20m0s",
  }),
};

/** `osctl cluster start`: starts a simulated cluster again, with the state it had. */
export const command: AnyCommand = {
  summary: "Start a simulated cluster that was stopped",
  description:
    "The nodes keep their state. Use it after this machine or the background process was restarted.",
  inputs,
  view: lines(({ name }) => `Cluster "${name}" runs`),
  async *run({ input, environment, signal }) {
    const { endpoints } = await working(
      "starting nodes",
      () =>
        startEmbedded(placeOf(input, environment), {
          waitMs: input.waitTimeout,
          signal,
        }),
    );
    yield { name: input.name, endpoints };
  },
} satisfies Command<StartedRow, Values<typeof inputs>>;
