import assert from "node:assert/strict";
import { refuseHere } from "../../../../commands/runbook/_run/prepared.ts";
import { ConfigError } from "../../../../errors.ts";
import { demo } from "../../../workflows/runbooks/run/_runs.ts";
import { quick, withRunHome } from "../_home.ts";

Deno.test("refuseHere refuses runbooks about one node, and those for another version", () => {
  refuseHere(demo);
  refuseHere({ ...demo, requires: { osctl: ">=0.0.1", needs: [] } });
  assert.throws(() => refuseHere({ ...demo, per: "node" }), ConfigError);
  const late = { ...demo, requires: { osctl: ">=99.0.0", needs: [] } } as const;
  assert.throws(() => refuseHere(late), /needs osctl >=99\.0\.0, and this is/);
});

Deno.test("a run that is bound to a plan begins while the plan still holds", async () => {
  await withRunHome(async ({ osctl, write, home, ids }) => {
    const file = await write(quick);
    const planned = await osctl(["runbook", "plan", file, "-o", "json"]);
    assert.equal(planned.status, 0, planned.err);
    const plan = `${home}/plan.json`;
    await Deno.writeTextFile(plan, planned.out);
    const line = ["runbook", "run", file, "--yes", "--plan", plan];
    await write(quick.replace("Touch", "Change"));
    const other = await osctl(line);
    assert.equal(other.status, 5, other.err);
    assert.deepEqual(await ids(), []);
    await write(quick);
    const same = await osctl(line);
    assert.equal(same.status, 0, same.err);
  });
});
