import assert from "node:assert/strict";
import { preflightRefusal } from "../../simulator/preflight.ts";

Deno.test("an installer goes two minor versions forward and one back", () => {
  const over = (tag: string, host: string) => preflightRefusal(tag, host);
  assert.equal(over("v1.12.11", "v1.10.0"), undefined);
  assert.equal(
    over("v1.12.11", "v1.9.6"),
    "host version 1.9.6 is too old to upgrade to Talos 1.12.11",
  );
  assert.equal(over("v1.12.11", "v1.13.9"), undefined);
  assert.equal(
    over("v1.12.11", "v1.14.0"),
    "host version 1.14.0 is too new to downgrade to Talos 1.12.11",
  );
  assert.equal(over("latest", "v1.9.0"), undefined);
});
