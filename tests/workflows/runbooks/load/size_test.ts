import assert from "node:assert/strict";
import { book, mistakes } from "./_finders.ts";

Deno.test("loadRunbook refuses few files that stand for many steps", async () => {
  const names = ["a.yaml", "b.yaml", "c.yaml", "d.yaml", "e.yaml"];
  const files = names.map((name, i) => {
    const steps = Array.from(
      { length: 12 },
      (_, k) =>
        i === names.length - 1
          ? `  - { id: s${k}, run: etcd.status }`
          : `  - { id: s${k}, use: ./${names[i + 1]} }`,
    );
    return [name, book("steps:", ...steps)] as const;
  });
  assert.deepEqual(await mistakes(Object.fromEntries(files)), [
    "a.yaml:1:1: With those of the runbooks it uses it has 271452 steps (Keep to 10000)",
  ]);
});
