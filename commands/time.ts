import { OsctlError } from "../errors.ts";
import type { NodeClient } from "../transport/call/client.ts";
import { isoTime } from "../transport/node/timestamp.ts";
import { type Command, goTime, table, text, type Values } from "./_kit/mod.ts";

/** Time of a node, compared with a time server. Source: `TimeService.Time`, `TimeService.TimeCheck`. */
interface TimeRow {
  readonly node: string;
  readonly server: string;
  /** Time of the node, ISO 8601. */
  readonly nodeTime: string;
  /** Time of the server, ISO 8601. */
  readonly serverTime: string;
}

const inputs = {
  check: text("time server to compare with", {
    short: "c",
    shown: "the node's own",
  }),
};

export const command = {
  summary: "Show the time of nodes",
  inputs,
  examples: ["time", "time --check time.example.org"],
  view: table({
    NODE: { cell: (row) => row.node, name: true },
    "NTP-SERVER": (row) => row.server,
    "NODE-TIME": comparedTime(({ nodeTime }) => nodeTime),
    "NTP-SERVER-TIME": comparedTime(({ serverTime }) => serverTime),
  }),
  async *run({ input, nodes }) {
    const rows = nodes.call((client) => readTime(client, input.check));
    for await (const { value } of rows) yield value;
  },
} satisfies Command<TimeRow, Values<typeof inputs>>;

/** Times are compared, so both stay on a narrow terminal, in UTC to the microsecond. */
function comparedTime(time: (row: TimeRow) => string) {
  return {
    cell: (row: TimeRow) => goTime(time(row)),
    short: (row: TimeRow) =>
      goTime(time(row)).replace(/(\.\d{6})\d*/, "$1")
        .replace(" +0000 UTC", ""),
    priority: 1,
  };
}

async function readTime(
  { node, time }: NodeClient,
  server: string | undefined,
): Promise<TimeRow> {
  const { messages } = server === undefined
    ? await time.time({})
    : await time.timeCheck({ server });
  const [message] = messages;
  const nodeTime = isoTime(message?.localtime);
  const serverTime = isoTime(message?.remotetime);
  if (nodeTime === "") throw missing("of its own");
  if (serverTime === "") throw missing("of the time server");
  return { node, server: message?.server ?? "", nodeTime, serverTime };
}

function missing(whose: string): OsctlError {
  return new OsctlError(`Cannot compare times: the node sent none ${whose}`);
}
