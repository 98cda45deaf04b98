import assert from "node:assert/strict";
import { ConfigError, RefusedError } from "../../../../errors.ts";
import {
  buildDocument,
  refuseImports,
} from "../../../../workflows/runbooks/builder/build.ts";
import {
  addTrust,
  sha256Of,
} from "../../../../workflows/runbooks/builder/trust.ts";

Deno.test("a program becomes a document when it is trusted and imports nothing", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const places = { trusted: `${dir}/trusted.json`, policies: [] };
    const program =
      `export default (rb) => rb.runbook("a", { title: "A" }, (b) => b.sleep("s", "1s"));`;
    const trust = async (text: string) =>
      await addTrust(
        { sha256: await sha256Of(text), path: text, at: "" },
        places,
      );
    await assert.rejects(
      buildDocument("a.ts", program, places),
      RefusedError,
    );
    await trust(program);
    assert.equal(
      JSON.parse(await buildDocument("a.ts", program, places)).name,
      "a",
    );
    const importing = `import "node:fs";\n${program}`;
    await trust(importing);
    await assert.rejects(
      buildDocument("a.ts", importing, places),
      new ConfigError(
        'Cannot use "a.ts": it has "import" in line 1, column 1',
        {
          hint: "Only import type is possible; put everything into one file",
        },
      ),
    );
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("types may be imported", () => {
  refuseImports("a.ts", 'import type { Api } from "./osctl-runbook.d.ts";');
});
