import { messageKeys } from "../transport/stream/kernel_messages.ts";
import { payload } from "../transport/call/payload.ts";
import type { GapRow } from "./_streams/follow_nodes.ts";
import {
  followedLog,
  type LogRow,
  logRows,
  logView,
} from "./_streams/log_rows.ts";
import { type Command, type Format, outputFlag, toggle } from "./_kit/mod.ts";

/** Inputs of the command. */
export interface DmesgInputs {
  /** `--follow`. */
  readonly follow: boolean;
  /** `--tail`. */
  readonly tail: boolean;
  /** `--output`. */
  readonly output: Format;
}

/** `osctl dmesg`: the kernel log of each node. Source: `MachineService.Dmesg`. */
export const command: Command<LogRow | GapRow, DmesgInputs> = {
  summary: "Show the kernel log",
  description: followedLog,
  inputs: {
    follow: toggle("keep printing new messages", { short: "f" }),
    tail: toggle("leave out the messages so far, with --follow"),
    output: outputFlag,
  },
  examples: ["dmesg --nodes 10.0.0.2", "dmesg --follow --tail --nodes @all"],
  view: logView,
  async *run(context) {
    const { follow, tail, output } = context.input;
    yield* logRows(context, {
      follow,
      last: tail ? 0 : undefined,
      output,
      lineKeys: messageKeys,
      // A follower needs the whole log even with --tail: it finds its place in it after a break.
      read: ({ machine }, reading) =>
        payload(machine.dmesg(
          { follow: reading.follow, tail: tail && !follow },
          reading.signal ? { signal: reading.signal } : {},
        )),
    });
  },
};
