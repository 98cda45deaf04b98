import assert from "node:assert/strict";
import { linux, needs } from "../../../_needs.ts";
import {
  holderIdentity,
  isGone,
  newProcess,
  parseHolder,
} from "../../../../workflows/runbooks/lock/holder.ts";

Deno.test("a process is known by its number, its start and a word that nothing else has", () => {
  const [one, two] = [newProcess(), newProcess()];
  assert.match(
    one,
    new RegExp(`^${Deno.pid} \\d{4}-\\d\\d-\\d\\dT.*Z [0-9a-f-]{36}( |$)`),
  );
  assert.notEqual(one, two);
});

Deno.test("a holder is shown without its word, which must not be recorded", () => {
  const identity = holderIdentity("20261120-7k2f", "eve@desk", "7 noon secret");
  assert.equal(identity, "20261120-7k2f @ eve@desk # 7 noon secret");
  assert.deepEqual(parseHolder(identity), {
    run: "20261120-7k2f",
    shown: "20261120-7k2f @ eve@desk, process 7 since noon",
  });
});

Deno.test("other holders are shown as they are", () => {
  const old = "20261120-7k2f @ eve@desk";
  assert.deepEqual(parseHolder(old), { run: "20261120-7k2f", shown: old });
  assert.deepEqual(parseHolder("elsewhere"), {
    run: "elsewhere",
    shown: "elsewhere",
  });
  assert.deepEqual(parseHolder(""), { run: "", shown: "" });
});

Deno.test({
  name:
    "a process is gone when another one of this machine has its number, and never known to be on another machine",
  // Elsewhere processes are not seen.
  ...needs(linux),
  fn() {
    const own = holderIdentity("a", "eve@desk", newProcess());
    const mark = own.slice(own.lastIndexOf(" ") + 1);
    const [boot = "", numbers = "", host = "", began = ""] = mark.split("/");
    const marked = (...parts: readonly string[]) =>
      isGone(own.replace(mark, parts.join("/")));
    assert.equal(isGone(own), false);
    assert.equal(marked(boot, numbers, host, `${began}1`), true);
    assert.equal(marked(`${boot}1`, numbers, host, `${began}1`), false);
    assert.equal(marked(boot, "pid:[1]", host, `${began}1`), false);
    assert.equal(marked(boot, numbers, "other", `${began}1`), false);
    assert.equal(isGone(own.replace(` ${mark}`, "")), false);
    assert.equal(isGone("a @ eve@desk"), false);
    assert.equal(isGone(""), false);
  },
});
