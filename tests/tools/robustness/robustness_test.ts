import assert from "node:assert/strict";
import { attacks } from "../../../tools/robustness/attacks.ts";
import { errands } from "../../../tools/robustness/errands.ts";
import {
  listPairs,
  parseOptions,
  play,
  schedule,
} from "../../../tools/robustness/robustness.ts";
import { linux, needs } from "../../_needs.ts";

Deno.test("parseOptions reads seconds, seed, attack and trial", () => {
  assert.deepEqual(parseOptions([]), {
    seconds: 600,
    seed: 1,
    prove: false,
    keepPage: false,
  });
  assert.deepEqual(
    parseOptions([
      ...["--seconds", "60", "--seed=7", "--attack", "kill/reboot"],
      ...["--trial", "9", "--keep-page"],
    ]),
    {
      seconds: 60,
      seed: 7,
      prove: false,
      keepPage: true,
      attack: "kill/reboot",
      trial: 9,
    },
  );
  assert.throws(() => parseOptions(["--attack", "flood"]), {
    message: /^Unknown attack "flood", known are kill, freeze, /,
  });
  assert.throws(() => parseOptions(["--seed", "x"]), {
    message: "--seed takes a number",
  });
});

Deno.test("a run has each attack in turn, and the same ones for the same seed", () => {
  const all = listPairs();
  const names = (seed: number) =>
    schedule(all, seed, 3 * attacks.length)
      .map(({ attack, errand }) => `${attack.name}/${errand.name}`);
  assert.deepEqual(names(1), names(1));
  assert.notDeepEqual(names(1), names(2));
  const counts = new Set(
    Object.values(
      Object.groupBy(names(1), (name) => name.split("/")[0] ?? ""),
    ).map((own) => own?.length),
  );
  assert.equal(counts.size, 1);
  assert.deepEqual(
    new Set(schedule(all, 1, 500).map(({ errand }) => errand.name)),
    new Set(errands.map(({ name }) => name)),
  );
});

Deno.test({
  name: "a process that is killed at a call, and resumed, breaks no promise",
  // Nodes have addresses of their own.
  ...needs(linux),
  async fn() {
    const [pair] = listPairs("kill/reboot");
    assert.ok(pair);
    const main = new URL("../../../mod.ts", import.meta.url).pathname;
    const trial = await play(pair, 7, { slot: 60, main });
    assert.deepEqual(trial.violations, []);
    assert.equal(trial.history.after.length, 4);
    assert.ok(trial.history.processes.length > 1);
  },
});
