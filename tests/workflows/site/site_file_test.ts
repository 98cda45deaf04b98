import assert from "node:assert/strict";
import { ConfigError } from "../../../errors.ts";
import { processMasker } from "../../../lib/masker.ts";
import { parseSiteFile } from "../../../workflows/site/site_file.ts";
import { coreValue } from "../../../config/tree/core_value.ts";
import { needs, posix } from "../../_needs.ts";
import { fakeSiteEnvironment, withFiles } from "./_site.ts";

const encrypted = `password: ENC[AES256_GCM,data:YQ==,iv:YQ==,tag:YQ==,type:str]
list: [ENC[AES256_GCM,data:YQ==,iv:YQ==,tag:YQ==,type:str]]
open_unencrypted: as it is
sops: {age: []}
`.replace("[ENC", "['ENC").replace("str]]", "str]']");

Deno.test({
  name:
    "a file that SOPS has encrypted is decrypted, and its values are masked",
  ...needs(posix),
  async fn() {
    const sops = `#!/bin/sh
test "$1" = decrypt && test -f "$2" || exit 9
printf 'password: planted-one\\nlist: [planted-two]\\nopen_unencrypted: as it is\\n'
`;
    await withFiles({ sops, "a.yaml": encrypted }, async (folder) => {
      await Deno.chmod(`${folder}/sops`, 0o755);
      const path = `${folder}/a.yaml`;
      const environment = fakeSiteEnvironment({
        PATH: `${folder}:${Deno.env.get("PATH")}`,
      });
      const [document] = await parseSiteFile(encrypted, path, environment);
      assert.deepEqual(coreValue(document?.root), {
        password: "planted-one",
        list: ["planted-two"],
        open_unencrypted: "as it is",
      });
      assert.equal(
        processMasker.mask("planted-one planted-two as it is"),
        "****** ****** as it is",
      );
    });
  },
});

Deno.test({
  name: "what sops says of a file that it cannot decrypt is in the error",
  ...needs(posix),
  async fn() {
    const sops = "#!/bin/sh\necho 'no key' >&2\nexit 128\n";
    await withFiles({ sops, "a.yaml": encrypted }, async (folder) => {
      await Deno.chmod(`${folder}/sops`, 0o755);
      const path = `${folder}/a.yaml`;
      await assert.rejects(
        parseSiteFile(
          encrypted,
          path,
          fakeSiteEnvironment({ PATH: `${folder}:/usr/bin:/bin` }),
        ),
        new ConfigError(`Cannot decrypt "${path}": sops: no key`, {
          hint: `See: sops decrypt ${path}`,
        }),
      );
      await Deno.remove(`${folder}/sops`);
      await assert.rejects(
        parseSiteFile(encrypted, path, fakeSiteEnvironment({ PATH: folder })),
        new ConfigError(
          `Cannot decrypt "${path}": cannot run "sops": program not found`,
          { hint: "Install sops, which has encrypted the file" },
        ),
      );
    });
  },
});
