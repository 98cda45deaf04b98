import assert from "node:assert/strict";
import { withWire } from "../../_wire.ts";

Deno.test("a wrong CA is one line, for five nodes through three endpoints", async () => {
  await withWire(
    { controlplanes: 3, workers: 2 },
    async ({ cluster, osctl, names }) => {
      for (const name of names) {
        await cluster.setFault(name, "server-ca-changed");
      }
      const { err, status } = await osctl("version");
      const [error = "", ...others] = err.trimEnd().split("\n");
      assert.match(
        error,
        /^error: 5 nodes \(.*\): None of 3 endpoints answers: Cannot trust any of them: its certificate is signed by "O=talos", which is not trusted here; trusted: "O=talos" \(key ID \w{8}\)$/,
      );
      assert.deepEqual(others.length, 1, err);
      assert.match(others[0] ?? "", /^hint: /);
      assert.equal(status, 1);
    },
  );
});
