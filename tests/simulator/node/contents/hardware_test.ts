import assert from "node:assert/strict";
import {
  hardwareContents,
  processorCount,
} from "../../../../simulator/node/contents/hardware.ts";
import { madeNodes } from "../../_node.ts";

Deno.test("hardware is a machine with processors, and a worker has half the memory", async () => {
  const [controlPlane, worker] = await madeNodes({ workers: 1 });
  const contents = hardwareContents(controlPlane!);
  const system = contents.find(({ id }) => id === "systeminformation")!;
  assert.equal(
    (system.spec as { uuid: string }).uuid,
    controlPlane!.identity.uuid,
  );
  assert.equal(
    contents.filter(({ type }) => type === "Processors.hardware").length,
    processorCount,
  );
  const size = (of: ReturnType<typeof hardwareContents>) =>
    (of.find(({ id }) => id === "DIMM-0")!.spec as { sizeMiB: number }).sizeMiB;
  assert.deepEqual([size(contents), size(hardwareContents(worker!))], [
    4096,
    2048,
  ]);
});
