import assert from "node:assert/strict";
import { Readable } from "node:stream";
import { openEngine } from "../../../provisioners/docker/engine.ts";
import { importImage } from "../../../provisioners/docker/import_image.ts";
import { usualEngine, withEngine } from "./_fake_engine.ts";

Deno.test({
  name: "importImage gives the digest, or what the engine says is wrong",
  sanitizeOps: false,
  sanitizeResources: false,
  async fn() {
    const wanted = () => ({
      image: "registry:5000/os:v1",
      archive: Readable.from([new Uint8Array(3)]),
      changes: ['ENTRYPOINT ["/osctl"]'],
    });
    const imported = '{"status":"sha256:42"}\n';
    const answers = {
      ...usualEngine,
      "POST /images/create": imported,
      "POST /images/sha256:42/tag": "",
    };
    await withEngine(answers, async (env) => {
      const engine = await openEngine(env);
      assert.equal(await importImage(engine, wanted()), "sha256:42");
    });
    const full = { ...usualEngine, "POST /images/create": '{"error":"full"}' };
    await withEngine(full, async (env) => {
      const engine = await openEngine(env);
      await assert.rejects(importImage(engine, wanted()), {
        message: "Cannot import image registry:5000/os:v1: full",
        status: 1,
      });
    });
  },
});
