import assert from "node:assert/strict";
import { genConfigInputs } from "../../../commands/_gen_config/inputs.ts";
import { InputProblem } from "../../../commands/_kit/mod.ts";
import type { Flag } from "../../../commands/_kit/inputs.ts";

/** Value of a flag that was given several times. */
function read<T>(flag: unknown, ...values: readonly string[]): T | undefined {
  // Declarations do not say which of them are flags.
  const { parse } = flag as Flag<T>;
  return values.reduce<T | undefined>(
    (before, value) => parse(value, before),
    undefined,
  );
}

Deno.test("--output-types are in the order given, none twice", () => {
  assert.deepEqual(
    read(genConfigInputs.outputTypes, "worker,osconfig", "worker"),
    ["worker", "osconfig"],
  );
});

Deno.test("--output-types takes talosctl's name of the client configuration", () => {
  assert.deepEqual(
    read(genConfigInputs.outputTypes, "talosconfig, controlplane"),
    ["osconfig", "controlplane"],
  );
});

Deno.test("--registry-mirror says what to type for a mirror without a scheme", () => {
  assert.throws(
    () => read(genConfigInputs.registryMirror, "docker.io=127.0.0.1:5000"),
    new InputProblem(
      "must have a URL after the equals sign: docker.io=http://127.0.0.1:5000",
    ),
  );
});
