import { payload } from "../transport/call/payload.ts";
import { bytes, type Command, type Values, word } from "./_kit/mod.ts";
import { oneNode } from "./_kit/one_node.ts";
import { pathFailure } from "./_path_failure.ts";
import { receiving } from "../transport/call/open_calls.ts";

const inputs = { path: word("file to read", { complete: "paths" }) };

export const command = {
  summary: "Print a file",
  description:
    `The content goes to standard output unchanged; on a terminal, control characters are removed.`,
  aliases: ["cat"],
  inputs,
  examples: [
    "read /proc/cmdline --nodes 10.0.0.2",
    "read /var/log/audit/kube/kube-apiserver.log --nodes 10.0.0.2 > audit.log",
  ],
  output: "own",
  view: bytes(),
  async *run(context) {
    const { input: { path } } = context;
    const { node, machine } = await oneNode(context, "read");
    try {
      const sent = payload(machine.read({ path }), { lent: true });
      yield* receiving(`"${path}" from ${node}`, sent);
    } catch (error) {
      throw pathFailure(error, `Cannot read "${path}" of ${node}`, path);
    }
  },
} satisfies Command<Uint8Array, Values<typeof inputs>>;
