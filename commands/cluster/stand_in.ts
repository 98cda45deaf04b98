import { serveStandIn } from "../../provisioners/mod.ts";
import {
  type AnyCommand,
  type Command,
  lines,
  text,
  type Values,
} from "../_kit/mod.ts";

/** A stand-in node of this process. */
export interface StandInRow {
  /** Current state: part of its cluster. */
  readonly state: "joined";
}

const inputs = {
  folder: text("directory for the state of the node", {
    initial: "/var/stand-in",
  }),
};

/** `osctl cluster stand-in`: runs a simulated node in a container. */
export const command: AnyCommand = {
  summary: "Simulate one node in a container",
  hidden: true,
  inputs,
  view: lines(({ state }) => state),
  async *run({ input: { folder }, environment, signal }) {
    const userdata = environment.env("USERDATA");
    for await (const _ of serveStandIn({ userdata, folder, signal })) {
      yield { state: "joined" };
    }
  },
} satisfies Command<StandInRow, Values<typeof inputs>>;
