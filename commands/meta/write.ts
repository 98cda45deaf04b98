import { metaWrite } from "../../workflows/operations/node/meta.ts";
import {
  actInputs,
  type Change,
  operate,
  type OutcomeRow,
  outcomeView,
} from "../_kit/operate.ts";
import { type Command, type Values, word } from "../_kit/mod.ts";
import { trustInputs, trustServers } from "../_session/server_trust.ts";
import { keyArgument } from "./_key.ts";

const inputs = {
  key: keyArgument,
  value: word("value to write"),
  ...trustInputs,
  ...actInputs("30s"),
};

export const change = {
  operation: metaWrite,
  prepare: ({ key, value }) => ({ input: { key, value } }),
  changedFacts: [],
} satisfies Change<Values<typeof inputs>>;

export const command = {
  summary: "Write a value of the META partition",
  description: `A node that already has the value is skipped.

With --insecure, a value that holds secrets is sent only to servers whose fingerprint is confirmed or given with
--cert-fingerprint, as with "osctl apply-config"; --trust-any sends it to any server.`,
  inputs,
  examples: [
    "meta write 0x0a '{\"addresses\": []}' --nodes 10.0.0.5",
    "meta write 12 abc --insecure --nodes 10.0.0.5",
  ],
  view: outcomeView,
  async *run(context) {
    const { key, value, insecure } = context.input;
    if (!insecure || !holdsSecrets(key, value)) {
      yield* operate(context);
      return;
    }
    const names = await context.nodes.names();
    using trusted = await trustServers(context, names, "the value");
    yield* operate({ ...context, nodes: trusted.nodes });
  },
} satisfies Command<OutcomeRow, Values<typeof inputs>>;

/**
 * Keys with secret values: install options of a staged upgrade, encryption of the state partition, the code of the
 * configuration URL, and the machine token.
 */
const secretKeys: readonly number[] = [8, 9, 11, 16];

/** Other values are free text, so they are checked for known field names and formats. */
function holdsSecrets(key: number, value: string): boolean {
  return secretKeys.includes(key) ||
    /(pass(word|phrase)?|secret|token|credentials?|(private|pre-?shared)_?key)["']?\s*[:=]/i
      .test(value) ||
    /PRIVATE KEY-----|:\/\/[^/\s@]+@/.test(value);
}
