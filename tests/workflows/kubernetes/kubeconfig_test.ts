import assert from "node:assert/strict";
import { buffer } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { pack } from "tar-stream";
import { readKubeconfig } from "../../../workflows/kubernetes/kubeconfig.ts";
import { fakeNodes } from "../../_fake.ts";

/** An archive as nodes send it, in two messages, without the mark at its end. */
async function* sent(files: Readonly<Record<string, string>>) {
  const archive = pack();
  for (const [name, text] of Object.entries(files)) {
    archive.entry({ name }, text);
  }
  archive.finalize();
  const whole = await buffer(archive);
  const isEmpty = Object.keys(files).length === 0;
  const bytes = gzipSync(isEmpty ? whole : whole.subarray(0, -1024));
  yield { bytes: bytes.subarray(0, 10) };
  yield { bytes: bytes.subarray(10) };
}

async function read(files: Readonly<Record<string, string>>): Promise<string> {
  const { nodes } = fakeNodes({ a: { kubeconfig: () => sent(files) } });
  return await readKubeconfig(await nodes.at("a"));
}

Deno.test("readKubeconfig takes the one file of an archive that does not end", async () => {
  assert.equal(await read({ kubeconfig: "kind: Config\n" }), "kind: Config\n");
});

Deno.test("readKubeconfig says when nothing was sent", async () => {
  await assert.rejects(read({}), {
    message: "Cannot read the kubeconfig of a: it sent none",
  });
});

Deno.test("readKubeconfig does not take more than a kubeconfig can be", async () => {
  await assert.rejects(read({ kubeconfig: "x".repeat(1024 * 1024 + 1) }), {
    message: "Cannot read the kubeconfig of a: too large",
  });
});
