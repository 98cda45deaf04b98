import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { create } from "./_create.ts";
import { testRegistry } from "./_registry.ts";

Deno.test("layers are kept for other runs, and those that are damaged are fetched", async () => {
  await using registry = testRegistry();
  await withFolder({}, async (folder) => {
    const layers = `${folder}/layers`;
    await create(registry.host, folder, { layers });
    const kept = `${layers}/${registry.layer}`;
    assert.equal((await Deno.stat(kept)).size, registry.size);
    const count = () =>
      registry.requests.filter((one) => one.endsWith(registry.layer)).length;
    await create(registry.host, folder, { layers });
    assert.equal(count(), 1);
    await Deno.writeFile(kept, new Uint8Array(registry.size));
    await create(registry.host, folder, { layers });
    assert.equal(count(), 2);
  });
});

Deno.test("a file that cannot be written ends the cache at once, with words for it", async () => {
  await using registry = testRegistry();
  await withFolder({}, async (folder) => {
    const part = `sha256-${registry.layer.slice(7)}.part`;
    await Deno.mkdir(`${folder}/cache.part/blob/${part}`, { recursive: true });
    await assert.rejects(create(registry.host, folder), {
      name: "ConfigError",
      message: `Cannot write "${folder}/cache": it is a directory`,
    });
    const layers = registry.requests.filter((one) =>
      one.includes(registry.layer)
    );
    assert.deepEqual(layers, []);
  });
});
