import { withoutTime } from "../transport/stream/kernel_messages.ts";
import { payload } from "../transport/call/payload.ts";
import type { GapRow } from "./_streams/follow_nodes.ts";
import {
  followedLog,
  type LogRow,
  logRows,
  makeLogView,
} from "./_streams/log_rows.ts";
import { selectionHelp, selectionInputs } from "./_streams/log_selection.ts";
import { maintenanceInputs } from "./_kit/node_inputs.ts";
import { type Command, outputFlag, toggle, type Values } from "./_kit/mod.ts";

const inputs = {
  follow: toggle("stream new messages", { short: "f", step: false }),
  tail: toggle("with --follow, only new messages"),
  ...selectionInputs,
  ...maintenanceInputs,
  output: outputFlag,
};

/** `osctl dmesg`: prints the kernel log of each node. Source: `MachineService.Dmesg`. */
export const command = {
  summary: "Print the kernel log",
  description: `${selectionHelp}

${followedLog}`,
  inputs,
  examples: [
    "dmesg --nodes 10.0.0.2",
    "dmesg --follow --tail --nodes @all",
    "dmesg --insecure --nodes 10.0.0.5",
    "dmesg --merge --since 30m --grep 'oom|I/O error' --nodes @all",
  ],
  view: makeLogView,
  run(context) {
    const { follow, tail, output } = context.input;
    return logRows(context, {
      follow,
      last: tail ? 0 : undefined,
      output,
      selection: context.input,
      lineKey: withoutTime,
      // Following requires the whole log even with --tail, to find the position
      // after a disconnect.
      read: ({ machine }, reading) =>
        payload(machine.dmesg(
          { follow: reading.follow, tail: tail && !follow },
          reading.signal ? { signal: reading.signal } : {},
        )),
    });
  },
} satisfies Command<LogRow | GapRow, Values<typeof inputs>>;
