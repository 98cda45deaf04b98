import assert from "node:assert/strict";
import { testCa } from "../../_test_ca.ts";
import { withCluster } from "../../_cluster.ts";
import { withFolder } from "../../_folder.ts";
import { onCluster, withRunner } from "../_step_context.ts";
import { RefusedError } from "../../../errors.ts";

Deno.test("a CA is made once per run, however often it is requested", async () => {
  await withFolder({}, async (folder) => {
    await withCluster({ workers: 1 }, async (cluster) => {
      const place = { cluster, folder };
      let first = {};
      await withRunner(place, async ({ read, vault }) => {
        first = await read("ca.generate", { kind: "os" });
        assert.deepEqual(vault.names(), ["ca.os.key", "ca.os"]);
        assert.deepEqual(await read("ca.generate", { kind: "os" }), first);
      });
      await withRunner(place, async ({ read }) => {
        assert.deepEqual(await read("ca.generate", { kind: "os" }), first);
        const other = await read("ca.generate", { kind: "kubernetes" });
        assert.deepEqual(other.ca, {
          secret: "ca.kubernetes",
          fingerprint: other.fingerprint,
        });
        assert.notEqual(other.old, other.fingerprint);
      });
    });
  });
});

Deno.test("a CA whose key only was kept gets its certificate afterwards", async () => {
  await onCluster({}, async ({ read, vault }) => {
    const { key } = await testCa();
    await vault.put("ca.os.key", new TextEncoder().encode(key));
    await read("ca.generate", { kind: "os" });
    assert.deepEqual(vault.names(), ["ca.os.key", "ca.os"]);
  });
});

Deno.test("the CA that issues now is not a new one", async () => {
  await onCluster({}, async ({ read, vault }, cluster) => {
    const { crt, key } = cluster.nodes[0]!.cluster.secrets.certs.os;
    const use = await vault.put(
      "input.osCA",
      new TextEncoder().encode(atob(crt) + atob(key)),
    );
    await assert.rejects(
      () => read("ca.generate", { kind: "os", use: { secret: use.secret } }),
      (error) =>
        error instanceof RefusedError &&
        /trusts CA/.test(error.message),
    );
  });
});

Deno.test("a second exchange does not begin while the first is in progress", async () => {
  await withFolder({ "one/": "", "two/": "" }, async (folder) => {
    await withCluster({ controlplanes: 2 }, async (cluster) => {
      await withRunner(
        { cluster, folder: `${folder}/one` },
        async ({ read, changeAll, change }) => {
          const { ca } = await read("ca.generate", { kind: "kubernetes" });
          const input = { kind: "kubernetes", ca: ca! };
          await changeAll("ca.accept", input);
          await change("ca.issue", input, "10.5.0.2");
        },
      );
      await withRunner(
        { cluster, folder: `${folder}/two` },
        async ({ read }) => {
          await assert.rejects(
            () => read("ca.generate", { kind: "kubernetes" }),
            (error) =>
              error instanceof RefusedError &&
              /already in progress/.test(error.message),
          );
        },
      );
    });
  });
});
