import assert from "node:assert/strict";
import { coreValue } from "../../../config/tree/core_value.ts";
import { ConfigError } from "../../../errors.ts";
import { processMasker } from "../../../lib/masker.ts";
import { parseSecretFile } from "../../../config/sops/file.ts";
import { needs, posix } from "../../_needs.ts";
import { fakeSiteEnvironment, withFiles } from "../../workflows/site/_site.ts";

const text = `a:
  token: ref+echo://planted-token
  open: shown
list: [ref+file://x, 1]
`;

Deno.test({
  name:
    "references of vals are resolved by vals, keep their places, and are masked",
  ...needs(posix),
  async fn() {
    const vals = `#!/bin/sh
test "$*" = "eval -f -" && sed 's#ref+echo://##; s#ref+file://x#planted-file#'
`;
    await withFiles({ vals }, async (folder) => {
      await Deno.chmod(`${folder}/vals`, 0o755);
      const PATH = `${folder}:${Deno.env.get("PATH")}`;
      const path = `${folder}/a.yaml`;
      const environment = fakeSiteEnvironment({ PATH });
      const [document] = await parseSecretFile(text, path, environment);
      assert.deepEqual(coreValue(document?.root), {
        a: { token: "planted-token", open: "shown" },
        list: ["planted-file", 1],
      });
      const list = document?.root.kind === "map"
        ? document.root.entries[1]?.value
        : undefined;
      const first = list?.kind === "list" ? list.items[0]?.value.at : undefined;
      assert.deepEqual(first, { file: path, line: 4, column: 8 });
      assert.equal(
        processMasker.mask("planted-token planted-file shown"),
        "****** ****** shown",
      );
      await assert.rejects(
        parseSecretFile(text, path, fakeSiteEnvironment({ PATH: "/none" })),
        new ConfigError(
          `Cannot resolve "${path}": cannot run "vals": program not found`,
          { hint: "Install vals: it has the keys that osctl cannot use" },
        ),
      );
      // Without a reference, it is not needed.
      const plain = text.replaceAll("ref+", "");
      await parseSecretFile(
        plain,
        path,
        fakeSiteEnvironment({ PATH: "/none" }),
      );
    });
  },
});
