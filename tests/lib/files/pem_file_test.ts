import assert from "node:assert/strict";
import { readPemFile } from "../../../lib/files/pem_file.ts";
import { ConfigError } from "../../../errors.ts";

async function withFile(
  content: string | undefined,
  body: (path: string) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    if (content !== undefined) {
      await Deno.writeTextFile(`${dir}/file`, content);
    }
    await body(`${dir}/file`);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

async function refusal(result: Promise<unknown>): Promise<string> {
  const error = await result.then(() => undefined, (error) => error);
  assert.ok(error instanceof ConfigError, String(error));
  return `${error.message} (${error.hint})`;
}

Deno.test("readPemFile names a file that is missing or too large", async () => {
  await withFile(undefined, async (path) => {
    assert.equal(
      await refusal(readPemFile(path, (pem) => pem)),
      `Cannot read "${path}": no such file (undefined)`,
    );
  });
  await withFile("x".repeat(1024 * 1024 + 1), async (path) => {
    assert.match(
      await refusal(readPemFile(path, (pem) => pem)),
      /larger than 1 MiB \(Give a PEM file\)$/,
    );
  });
});

Deno.test("readPemFile names the file with which fault is found", async () => {
  await withFile("abc", async (path) => {
    const faulty = readPemFile(path, () => {
      throw new ConfigError("It is odd", { hint: "Make it even" });
    });
    assert.equal(
      await refusal(faulty),
      `Cannot use "${path}": It is odd (Make it even)`,
    );
  });
});

Deno.test("readPemFile passes bugs on as they are", async () => {
  await withFile("abc", async (path) => {
    const bug = new RangeError("bug");
    await assert.rejects(readPemFile(path, () => Promise.reject(bug)), bug);
  });
});
