import assert from "node:assert/strict";
import { existingAmong } from "../../../config/generate/existing_file.ts";

Deno.test("files in the way come with content and identity, in order", async () => {
  const dir = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${dir}/b`, "cluster: {id: some}\n");
    await Deno.writeTextFile(`${dir}/a`, "notes\n");
    await Deno.symlink("b", `${dir}/link`);
    const found = await existingAmong(
      ["b", "none", "a", "link"].map((name) => `${dir}/${name}`),
    );
    assert.deepEqual(
      found.map(({ path, content, identity }) => [
        path.slice(dir.length + 1),
        new TextDecoder().decode(content),
        identity,
      ]),
      [
        ["b", "cluster: {id: some}\n", { id: "some" }],
        ["a", "notes\n", {}],
        ["link", "cluster: {id: some}\n", { id: "some" }],
      ],
    );
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});

Deno.test("folders and links to nowhere hold nothing", async () => {
  const dir = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${dir}/folder`);
    await Deno.symlink("nowhere", `${dir}/link`);
    const found = await existingAmong([`${dir}/folder`, `${dir}/link`]);
    assert.deepEqual(found.map(({ content }) => content.length), [0, 0]);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
