import { generateKey } from "../../pki/key.ts";
import { encodePrivateKey } from "../../pki/private_key.ts";
import { requiredText, silently } from "../_kit/mod.ts";
import { writeOutputs } from "./_outputs.ts";
import { forceInputs } from "./_inputs.ts";

const inputs = {
  name: requiredText("name of the file, without .key"),
  ...forceInputs,
};

export const command = silently({
  summary: "Generate a private key",
  description: "Writes NAME.key, an Ed25519 key.",
  inputs,
  examples: ["gen key --name admin"],
  async work({ input: { name, force } }) {
    const key = encodePrivateKey(await generateKey("Ed25519"));
    await writeOutputs([{ path: `${name}.key`, content: key }], force);
  },
});
