import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { readMachineState } from "../../../transport/node/machine_state.ts";
import { fakeContext } from "../../workflows/operations/_node_context.ts";

const booting = {
  bootId: "1",
  stage: "booting",
  ready: false,
  unmet: ["time: not synced", "services: kubelet not healthy"],
  version: "v1.12.1",
};

Deno.test("readMachineState tells boot, stage, conditions and version", async () => {
  const { context } = await fakeContext([booting], 1);
  assert.deepEqual(await readMachineState(context.client), booting);
});

Deno.test("a node that has only started to boot has no stage yet", async () => {
  const { context } = await fakeContext([booting], 1, {
    get: () => Promise.reject(new RpcError("NOT_FOUND", "no such resource")),
  });
  assert.deepEqual(await readMachineState(context.client), {
    ...booting,
    stage: "",
    unmet: [],
  });
});

Deno.test("a role that may not read files does not hide the rest", async () => {
  const { context } = await fakeContext([booting], 1, {
    // deno-lint-ignore require-yield
    async *read() {
      await Promise.resolve();
      throw new RpcError("PERMISSION_DENIED", "not authorized");
    },
  });
  const { bootId, stage } = await readMachineState(context.client);
  assert.deepEqual([bootId, stage], [undefined, "booting"]);
});
