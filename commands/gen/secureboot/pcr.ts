import { generateKey } from "../../../pki/key.ts";
import { encodePrivateKey } from "../../../pki/private_key.ts";
import { type Command, silently } from "../../_kit/mod.ts";
import {
  type FolderInputs,
  folderInputs,
  refuseTakenIn,
  writeInto,
} from "./_folder.ts";
import { working } from "../../../transport/call/open_calls.ts";

const keyPem = "pcr-signing-key.pem";

export const command: Command<never, FolderInputs> = silently({
  summary: "Generate the key for signing TPM measurements (PCRs)",
  description:
    `Writes pcr-signing-key.pem, a 2048-bit RSA key, the largest size that all TPMs support.`,
  inputs: folderInputs,
  examples: ["gen secureboot pcr"],
  async work({ input, note }) {
    await refuseTakenIn([keyPem], input);
    const key = await working(
      "generating a key",
      () => generateKey("RSA", { rsaBits: 2048 }),
    );
    await writeInto({ [keyPem]: encodePrivateKey(key) }, { ...input, note });
  },
});
