import assert from "node:assert/strict";
import { OsctlError } from "../../../errors.ts";
import { withFolder } from "../../_folder.ts";
import { fetchBlob } from "../../../workflows/image_cache/fetch_blob.ts";
import { parseReference } from "../../../workflows/image_cache/reference.ts";
import { registryClient } from "../../../workflows/image_cache/registry.ts";
import { create, filesIn } from "./_create.ts";
import { testRegistry } from "./_registry.ts";

Deno.test("a download that breaks off continues where it was, in the next attempt and in the next run", async () => {
  await using registry = testRegistry();
  await withFolder({}, async (folder) => {
    registry.cuts = 1;
    const stop = new AbortController();
    await assert.rejects(create(registry.host, folder, {
      signal: stop.signal,
      onEvent: (event) =>
        event.kind === "bytes" && event.size > 1000 && stop.abort(),
    }));
    const before = registry.requests.length;
    registry.cuts = 1;
    const events = await create(registry.host, folder);
    const again = registry.requests.slice(before)
      .filter((one) => one.includes("/blobs/"));
    const [first = 0, second = 0] = again.slice(0, 2).map((one) => {
      assert.ok(one.startsWith(`team/app/blobs/${registry.layer} bytes=`), one);
      return Number(/=(\d+)-$/.exec(one)?.[1]);
    });
    assert.ok(first > 0);
    assert.equal(second, first + 70_000);
    assert.equal(again.length, 3, "the configuration is not fetched again");
    assert.equal(events.filter(({ kind }) => kind === "kept").length, 1);
  });
});

Deno.test("fetchBlob: refuses content with another digest, and keeps nothing", async () => {
  await using registry = testRegistry();
  await withFolder({}, async (folder) => {
    registry.lies = true;
    await assert.rejects(
      create(registry.host, folder),
      (error) =>
        error instanceof OsctlError &&
        / sent different content for sha256:\w+ of \S+$/.test(error.message),
    );
    assert.deepEqual(
      (await filesIn(folder)).filter((one) => one.endsWith(".part")),
      [],
    );
    registry.lies = false;
    const other = `sha256:${"0".repeat(64)}`;
    await assert.rejects(
      create(registry.host, folder, {
        image: `${registry.host}/team/app@${other}`,
      }),
      /returned HTTP 404/,
    );
  });
});

Deno.test("a blob is continued in no link, and a folder of all is no place for one", async () => {
  await using registry = testRegistry();
  await withFolder({ victim: "kept" }, async (folder) => {
    const target = `${folder}/cache`;
    await Deno.symlink(`${folder}/victim`, `${target}.part`);
    await assert.rejects(create(registry.host, folder), {
      message:
        `Cannot use "${target}.part": it is no folder that only you can write to`,
    });
    assert.equal(await Deno.readTextFile(`${folder}/victim`), "kept");

    const blob = { digest: `sha256:${"0".repeat(64)}`, size: 4 };
    await Deno.symlink(`${folder}/victim`, `${folder}/blob.part`);
    const client = registryClient({
      insecure: false,
      login: () => Promise.resolve(undefined),
      signal: new AbortController().signal,
    });
    await assert.rejects(
      fetchBlob(
        {
          registry: client,
          signal: new AbortController().signal,
          progress() {},
        },
        parseReference(`${registry.host}/team/app:v1`),
        blob,
        `${folder}/blob`,
      ),
      { name: "ConfigError" },
    );
    assert.equal(await Deno.readTextFile(`${folder}/victim`), "kept");
  });
});
