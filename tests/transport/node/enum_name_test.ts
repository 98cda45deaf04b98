import assert from "node:assert/strict";
import { enumName } from "../../../transport/node/enum_name.ts";
import { MachineStatusEvent_MachineStage } from "../../../transport/gen/machine_events.ts";

Deno.test("enumName finds the name of a value", () => {
  assert.equal(enumName(MachineStatusEvent_MachineStage, 4), "RUNNING");
  assert.equal(enumName(MachineStatusEvent_MachineStage, 0), "UNKNOWN");
});

Deno.test("enumName gives the number of a value that only a newer node knows", () => {
  assert.equal(enumName(MachineStatusEvent_MachineStage, 42), "42");
  assert.equal(enumName(MachineStatusEvent_MachineStage, -1), "-1");
});
