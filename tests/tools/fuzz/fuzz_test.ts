import assert from "node:assert/strict";
import { parseOptions, readSeeds } from "../../../tools/fuzz/fuzz.ts";
import { targets } from "../../../tools/fuzz/targets.ts";

for (const name of Object.keys(targets)) {
  Deno.test(`every seed of ${name} ends with a value or an error that was meant`, async () => {
    const seeds = await readSeeds(name);
    assert.ok(seeds.size > 0);
    for (const [file, input] of seeds) {
      try {
        await targets[name]?.(input);
      } catch (error) {
        assert.fail(
          `${name}/${file}: ${error instanceof Error ? error.stack : error}`,
        );
      }
    }
  });
}

Deno.test("parseOptions reads targets, seconds and seed of the random generator", () => {
  assert.deepEqual(parseOptions(["cel", "--seconds", "5", "--seed=7", "pem"]), {
    names: ["cel", "pem"],
    seconds: 5,
    seed: 7,
  });
  assert.deepEqual(parseOptions([]), {
    names: Object.keys(targets),
    seconds: 3600,
    seed: 1,
  });
  assert.throws(() => parseOptions(["xml"]), {
    message: /^Unknown target "xml", known are command-line, /,
  });
  assert.throws(() => parseOptions(["--seconds", "x"]), {
    message: "--seconds takes a number",
  });
});
