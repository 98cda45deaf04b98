import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { readSpec, readSpecs } from "../../../transport/node/read_resource.ts";
import {
  contextWith,
  listing,
} from "../../workflows/operations/_run_operation.ts";

const place = { namespace: "runtime", type: "MetaKeys.runtime.talos.dev" };

async function takeSpec(get: (request: unknown) => unknown) {
  const { context } = await contextWith({ get });
  return await readSpec(context.client, { ...place, id: "0x0a" });
}

Deno.test("readSpec gives the fields of a resource", async () => {
  const asked: unknown[] = [];
  const spec = await takeSpec((request) => {
    asked.push(request);
    return { resource: { spec: { yamlSpec: "value: a\n" } } };
  });
  assert.deepEqual(spec, { value: "a" });
  const [{ namespace, type, id }] = asked as [Record<string, unknown>];
  assert.deepEqual({ namespace, type, id }, { ...place, id: "0x0a" });
});

Deno.test("readSpec gives nothing for what is not there or not shown, and raises the rest", async () => {
  for (
    const code of ["NOT_FOUND", "PERMISSION_DENIED", "UNIMPLEMENTED"] as const
  ) {
    const spec = await takeSpec(() => Promise.reject(new RpcError(code, "no")));
    assert.equal(spec, undefined);
  }
  await assert.rejects(
    takeSpec(() => Promise.reject(new RpcError("UNAVAILABLE", "gone"))),
    /gone/,
  );
});

Deno.test("readSpec takes a spec that is not a record for an empty one", async () => {
  assert.deepEqual(
    await takeSpec(() => ({ resource: { spec: { yamlSpec: "text" } } })),
    {},
  );
});

Deno.test("readSpecs gives all resources of a type by name", async () => {
  const { context } = await contextWith({
    list: listing({ MetaKeys: { "0x0a": { value: "a" }, "0x0b": {} } }),
  });
  assert.deepEqual(
    await readSpecs(context.client, place),
    new Map([["0x0a", { value: "a" }], ["0x0b", {}]]),
  );
});

Deno.test("readSpecs tells a type that is not shown from one without resources", async () => {
  const refusing = await contextWith({
    // deno-lint-ignore require-yield
    async *list() {
      throw await Promise.resolve(new RpcError("PERMISSION_DENIED", "no"));
    },
  });
  assert.equal(await readSpecs(refusing.context.client, place), undefined);
  const empty = await contextWith({ list: listing({}) });
  assert.deepEqual(await readSpecs(empty.context.client, place), new Map());
});
