import assert from "node:assert/strict";
import {
  optionalRunWord,
  readNamed,
  runWord,
} from "../../../../commands/runbook/_flags/run_argument.ts";
import { makeRun } from "../../../workflows/runbooks/store/_runs.ts";
import { withHome } from "../../_home.ts";

Deno.test("the run that is named is read", () =>
  withHome(async (env) => {
    await makeRun(`${env.OS_HOME}/runs`);
    const environment = { env: (name: string) => env[name] };
    for (const word of [undefined, "7k2f", "last"]) {
      const { header } = await readNamed(word, environment);
      assert.equal(header.id, "20261120-7k2f");
    }
    await assert.rejects(readNamed("other", environment), {
      message: 'Cannot find run "other"',
    });
  }));

Deno.test("runs are completed, whether they have to be named or not", () => {
  assert.deepEqual([runWord.least, runWord.complete], [1, "runs"]);
  assert.deepEqual([optionalRunWord.least, optionalRunWord.complete], [
    0,
    "runs",
  ]);
});
