import { messageKeys } from "../transport/stream/kernel_messages.ts";
import { payload } from "../transport/call/payload.ts";
import type { GapRow } from "./_streams/follow_nodes.ts";
import {
  followedLog,
  type LogRow,
  logRows,
  logView,
} from "./_streams/log_rows.ts";
import {
  type AnyCommand,
  type Command,
  outputFlag,
  toggle,
  type Values,
} from "./_kit/mod.ts";

const inputs = {
  follow: toggle("stream new messages", { short: "f", step: false }),
  tail: toggle("with --follow, only new messages"),
  output: outputFlag,
};

/** `osctl dmesg`: the kernel log of each node. Source: `MachineService.Dmesg`. */
export const command: AnyCommand = {
  summary: "Print the kernel log",
  description: followedLog,
  inputs,
  examples: ["dmesg --nodes 10.0.0.2", "dmesg --follow --tail --nodes @all"],
  view: logView,
  run(context) {
    const { follow, tail, output } = context.input;
    return logRows(context, {
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
} satisfies Command<LogRow | GapRow, Values<typeof inputs>>;
