import assert from "node:assert/strict";
import { withFolder } from "../../_folder.ts";
import { fakeNodes } from "../../_fake.ts";
import { RpcError } from "../../../errors.ts";
import { collectBundle } from "../../../workflows/modules/node_support.ts";
import { untilResult } from "../operations/_kubernetes_context.ts";

const { signal } = new AbortController();

function text(value: string) {
  return { bytes: new TextEncoder().encode(value) };
}

async function* log(...lines: readonly string[]) {
  for (const line of lines) yield await Promise.resolve(text(line));
}

function type(id: string, sensitivity: string) {
  const spec = { type: id, defaultNamespace: "test", sensitivity };
  return {
    resource: {
      metadata: { id: id.toLowerCase() },
      spec: { yamlSpec: JSON.stringify(spec) },
    },
  };
}

const configuration = `machine:
  token: abcdef.0123456789abcdef
  env: {TOKEN: planted-1n-env}
`;

const node = {
  get: () => ({ resource: { spec: { yamlSpec: configuration } } }),
  version: () => ({ messages: [{ version: { tag: "v1.12.4" } }] }),
  serviceList: () => ({
    messages: [{ services: [{ id: "kubelet" }, { id: "../../x" }] }],
  }),
  processes: () => ({ messages: [] }),
  mounts: () => Promise.reject(new RpcError("PERMISSION_DENIED", "no")),
  memory: () => ({ messages: [{ meminfo: { memtotal: 7n } }] }),
  dmesg: () => log("booting with planted-", "1n-env\n"),
  logs: ({ id }: { readonly id: string }) =>
    id === "kubelet" ? log("one\n", "two\n") : log(),
  async *list({ type: asked }: { readonly type: string }) {
    if (asked.startsWith("ResourceDefinitions")) {
      yield await Promise.resolve(type("Plain", ""));
      yield type("Secret", "sensitive");
      return;
    }
    assert.equal(asked, "Plain");
    const metadata = { id: "a" };
    yield { resource: { metadata, spec: { yamlSpec: "x: 1\n" } } };
  },
};

async function filesIn(folder: string, under = ""): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder + under)) {
    const path = `${under}/${name}`;
    found.push(...isDirectory ? await filesIn(folder, path) : [path.slice(1)]);
  }
  return found.sort();
}

Deno.test("collectBundle keeps logs, states and resources, and leaves secrets and what is empty out", async () => {
  await withFolder({}, async (parent) => {
    const folder = `${parent}/bundle`;
    const client = await fakeNodes({ n: node }).nodes.at("n");
    const bundle = await untilResult(collectBundle(client, { folder, signal }));
    assert.deepEqual(bundle, {
      files: [
        "version.json",
        "services.json",
        "processes.json",
        "memory.json",
        "kernel.log",
        "logs/kubelet.log",
        "resources/plain.yaml",
      ],
      missing: ["mounts.json: no"],
    });
    assert.deepEqual(await filesIn(folder), bundle.files.toSorted());
    const read = (path: string) => Deno.readTextFile(`${folder}/${path}`);
    assert.equal(await read("logs/kubelet.log"), "one\ntwo\n");
    assert.equal(await read("kernel.log"), "booting with ******\n");
    assert.equal(await read("resources/plain.yaml"), "--- # a\nx: 1\n");
    assert.match(await read("memory.json"), /"memtotal": "7"/);
    const { mode } = await Deno.stat(`${folder}/kernel.log`);
    assert.equal((mode ?? 0) & 0o777, 0o600);
  });
});
