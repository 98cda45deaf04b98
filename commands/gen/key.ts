import { generateKey } from "../../pki/key.ts";
import { encodePrivateKey } from "../../pki/private_key.ts";
import { type Command, requiredText, silently } from "../_kit/mod.ts";
import { type ForceInputs, forceInputs } from "./_force.ts";
import { writeOutputs } from "./_outputs.ts";

/** Inputs of the command. */
export interface KeyInputs extends ForceInputs {
  /** `--name`. */
  readonly name: string;
}

/** `osctl gen key`: a private key. */
export const command: Command<never, KeyInputs> = {
  summary: "Generate a private key",
  description: "One file, an Ed25519 key: the name with .key behind it.",
  inputs: {
    name: requiredText("name of the file, without .key"),
    ...forceInputs,
  },
  examples: ["gen key --name admin"],
  ...silently<KeyInputs>(async ({ input: { name, force } }) => {
    const key = encodePrivateKey(await generateKey("Ed25519"));
    await writeOutputs([{ path: `${name}.key`, content: key }], force);
  }),
};
