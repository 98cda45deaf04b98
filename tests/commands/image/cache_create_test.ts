import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { run } from "../../_run.ts";
import { testRegistry } from "../../workflows/image_cache/_registry.ts";

Deno.test("image cache-create makes a cache of the images on standard input, and does not replace one unasked", async () => {
  await using registry = testRegistry();
  await withFolder({}, async (folder) => {
    const line = `image cache-create --images - --image-cache-path ${folder}/c`;
    const stdin = `\n${registry.host}/team/app:v1\n`;
    const env = { DOCKER_CONFIG: folder };
    const first = await run(line, {}, { stdin, env });
    assert.deepEqual([first.out, first.status], ["", 0]);
    assert.match(
      first.err,
      new RegExp(
        `^fetching image "${registry.host}/team/app:v1" for linux/amd64\n> layer `,
      ),
    );
    assert.match(first.err, /\(size 200 kB\): done\n/);
    const { manifests } = JSON.parse(
      await Deno.readTextFile(`${folder}/c/index.json`),
    );
    assert.equal(manifests.length, 1);
    const again = await run(line, {}, { stdin, env });
    assert.match(again.err, /^error: "\S+\/c" already exists\nhint: .*--force/);
    assert.equal(again.status, 5);
    let seconds = 0;
    const forced = await run(`${line} --force`, {}, {
      stdin,
      env,
      columns: 120,
      now: () => new Date(1_000 * seconds++),
    });
    assert.equal(forced.status, 0);
    assert.match(
      forced.err,
      /> sha256:[\da-f]{12}: [\d.]+ kB of 200 kB, [\d.]+ kB\/s, \d+s left/,
    );
  });
});

Deno.test("image cache-create refuses what it cannot use", async () => {
  for (
    const [line, message] of [
      ["--image-cache-path x", "--images"],
      ["--images a", "--image-cache-path"],
      ["--images A:b:c --image-cache-path /nowhere/x", "is not an image name"],
      ["--images a --image-cache-path x --platform arm", "must be platforms"],
      [
        "--images a --image-cache-path x --layout tar",
        "must be one of oci, flat",
      ],
    ] as const
  ) {
    const { err, status } = await run(`image cache-create ${line}`);
    assert.ok(err.includes(message), err);
    assert.equal(status, 2);
  }
});
