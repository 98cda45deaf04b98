import assert from "node:assert/strict";
import {
  ownFolder,
  temporaryFile,
  temporaryFolder,
} from "../../../lib/files/temporary.ts";

Deno.test("a temporary folder is private, and gone at the end", async () => {
  let path = "";
  {
    await using folder = await temporaryFolder("osctl-test-");
    ({ path } = folder);
    assert.match(path, /\/osctl-test-[^/]+$/);
    assert.equal((await Deno.stat(path)).mode! & 0o777, 0o700);
    await Deno.writeTextFile(`${path}/a`, "a");
  }
  await assert.rejects(Deno.stat(path), Deno.errors.NotFound);
});

Deno.test("a temporary file is private", async () => {
  const path = await temporaryFile({ prefix: "osctl-test-", suffix: ".yaml" });
  assert.match(path, /\/osctl-test-[^/]+\.yaml$/);
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o600);
  await Deno.remove(path);
});

Deno.test("a missing temporary directory is named with what to do", async () => {
  const module = new URL("../../../lib/files/temporary.ts", import.meta.url);
  const code = `const { temporaryFile, temporaryFolder } =
    await import(${JSON.stringify(module.href)});
  for (const make of [() => temporaryFile({ prefix: "a" }), () => temporaryFolder("a")]) {
    await make().catch((error) => console.log(error.name, error.message, error.hint));
  }`;
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["eval", code],
    env: { TMPDIR: "/does/not/exist" },
  }).output();
  const line =
    "ConfigError Cannot create a temporary file: no such file or directory Set TMPDIR to a directory that exists, has space, and that you can write to\n";
  assert.equal(new TextDecoder().decode(stdout), line + line);
});

Deno.test("a folder that a later run continues is private, and no link or folder of all", async () => {
  await using folder = await temporaryFolder("osctl-test-");
  const path = `${folder.path}/a`;
  await ownFolder(path);
  await ownFolder(path);
  assert.equal((await Deno.stat(path)).mode! & 0o777, 0o700);
  await Deno.symlink(path, `${folder.path}/link`);
  await assert.rejects(ownFolder(`${folder.path}/link`), {
    message:
      `Cannot use "${folder.path}/link": it is no folder that only you can write to`,
  });
  await Deno.chmod(path, 0o777);
  await assert.rejects(ownFolder(path), { name: "ConfigError" });
});
