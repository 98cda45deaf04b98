import { payload } from "../transport/call/payload.ts";
import { bytes, type Command, word } from "./_kit/mod.ts";
import { pathFailure } from "./_path_failure.ts";

/** Inputs of the command. */
export interface ReadInputs {
  /** `--path`. */
  readonly path: string;
}

/** `osctl read <path>`: the content of a file on one node. */
export const command: Command<Uint8Array, ReadInputs> = {
  summary: "Read a file of a node",
  description:
    `The content goes to standard output as it is; only a terminal gets it without the characters that control it.`,
  aliases: ["cat"],
  inputs: { path: word("file to read", { complete: "paths" }) },
  examples: [
    "read /proc/cmdline --nodes 10.0.0.2",
    "read /var/log/audit/kube/kube-apiserver.log --nodes 10.0.0.2 > audit.log",
  ],
  output: "own",
  view: bytes(),
  async *run({ input: { path }, nodes }) {
    const { node, machine } = await nodes.only("read");
    try {
      yield* payload(machine.read({ path }), { lent: true });
    } catch (error) {
      throw pathFailure(error, `Cannot read "${path}" of ${node}`, path);
    }
  },
};
