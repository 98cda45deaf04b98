import assert from "node:assert/strict";
import {
  holderIdentity,
  holderOf,
  newProcess,
} from "../../../../workflows/runbooks/lock/holder.ts";

Deno.test("a process is known by its number, its start and a word that nothing else has", () => {
  const [one, two] = [newProcess(), newProcess()];
  assert.match(
    one,
    new RegExp(`^${Deno.pid} \\d{4}-\\d\\d-\\d\\dT.*Z [0-9a-f-]{36}$`),
  );
  assert.notEqual(one, two);
});

Deno.test("a holder is shown without its word, which must not be recorded", () => {
  const identity = holderIdentity("20261120-7k2f", "eve@desk", "7 noon secret");
  assert.equal(identity, "20261120-7k2f @ eve@desk # 7 noon secret");
  assert.deepEqual(holderOf(identity), {
    run: "20261120-7k2f",
    shown: "20261120-7k2f @ eve@desk, process 7 since noon",
  });
});

Deno.test("other holders are shown as they are", () => {
  const old = "20261120-7k2f @ eve@desk";
  assert.deepEqual(holderOf(old), { run: "20261120-7k2f", shown: old });
  assert.deepEqual(holderOf("elsewhere"), {
    run: "elsewhere",
    shown: "elsewhere",
  });
  assert.deepEqual(holderOf(""), { run: "", shown: "" });
});
