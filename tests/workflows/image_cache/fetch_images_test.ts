import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { upstream } from "../../_registries.ts";
import { create, filesIn } from "./_create.ts";
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

Deno.test("signatures of cosign are fetched if wanted, of its version 2 or 3", async () => {
  await using registry = upstream();
  await withFolder({}, async (folder) => {
    const image = `${registry.host}/team/app:v1`;
    const base = registry.findDigest("team/app:v1").replace(":", "-");
    const tags = async (signatures: boolean) => {
      await create(registry.host, folder, { image, signatures });
      const files = await filesIn(`${folder}/cache`);
      return files.flatMap((file) =>
        /\/reference\/(.+)$/.exec(file)?.[1] ?? []
      );
    };
    assert.deepEqual(await tags(false), ["v1"]);
    assert.deepEqual(await tags(true), [`${base}.sig`, "v1"]);
    const own = `sha256-${
      registry.findDigest(`team/app:${base}.sig`).slice(7)
    }`;
    const files = await filesIn(`${folder}/cache`);
    assert.ok(files.some((file) => file.endsWith(`/digest/${own}`)));
    registry.missing.add(`team/app:${base}.sig`);
    assert.deepEqual(await tags(true), [base, "v1"]);
    registry.missing.add(`team/app:${base}`);
    assert.deepEqual(await tags(true), ["v1"]);
  });
});
