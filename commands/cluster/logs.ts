import { pause } from "../../lib/pause.ts";
import { chooseProvisioner } from "../../provisioners/mod.ts";
import { existingInputs, findCluster } from "./_cluster.ts";
import { localNodes } from "./_local_nodes.ts";
import {
  type Command,
  lines,
  optionalWord,
  toggle,
  type Values,
} from "../_kit/mod.ts";

/** A line of a console. */
interface ConsoleRow {
  readonly node: string;
  readonly line: string;
}

const inputs = {
  ...existingInputs,
  machine: optionalWord("name or address of a node; default all"),
  follow: toggle("print new output as it comes", { short: "f" }),
};

/** Interval for new output, in milliseconds. */
const intervalMs = 1_000;

export const command = {
  summary: "Print the consoles of a local cluster",
  description:
    "Works also while the nodes do not answer, and after they failed to boot. With several nodes, lines begin with their name.",
  inputs,
  examples: [
    "cluster logs",
    "cluster logs --follow os-default-controlplane-1",
  ],
  streams: true,
  view: ({ machine }) =>
    lines(({ node, line }) =>
      machine === undefined ? `[${node}] ${line}` : line
    ),
  async *run(context) {
    const { input, environment, signal } = context;
    const { machine, follow } = input;
    const place = await findCluster(context);
    const nodes = await localNodes(place, machine ? [machine] : []);
    const provisioner = await chooseProvisioner(place, environment);
    const printed = new Map<string, string>();
    do {
      // One after the other, to keep the lines of a node together.
      for (const node of nodes) {
        const log = provisioner.logs(place, node, signal);
        const text = await new Response(ReadableStream.from(log)).text();
        // The rest of an unfinished line comes later.
        const end = follow ? text.lastIndexOf("\n") + 1 : text.length;
        const complete = text.slice(0, end);
        const fresh = newText(printed.get(node.name) ?? "", complete);
        printed.set(node.name, complete);
        if (fresh === "") continue;
        for (const line of fresh.replace(/\n$/, "").split(/\r?\n/)) {
          yield { node: node.name, line };
        }
      }
      if (follow) await pause(intervalMs, signal);
    } while (follow && !signal.aborted);
  },
} satisfies Command<ConsoleRow, Values<typeof inputs>>;

/** Part of a console that was not there before: what follows the last known text, all of it after another boot. */
export function newText(before: string, now: string): string {
  if (now.startsWith(before)) return now.slice(before.length);
  // Old lines may be gone from the start.
  const last = before.slice(-1_000);
  const at = now.lastIndexOf(last);
  return at < 0 ? now : now.slice(at + last.length);
}
