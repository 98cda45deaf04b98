import assert from "node:assert/strict";

import { listJournals } from "../../../workflows/operations/journal_file.ts";
import { runOn } from "../../_run.ts";
import { upgradable } from "../../workflows/operations/_upgrades.ts";
import { withHome } from "../_home.ts";
import { only } from "./_node_queries.ts";

const calls = ["logs", "processes", "pull", "upgrade"];

const fresh = (version = "v1.13.0") => upgradable({ version });

Deno.test("upgrade install ends when the installer has, and writes down what it did", async () => {
  await withHome(async (env) => {
    const a = fresh();
    const { out, status } = await runOn("upgrade install --to v1.13.1", {
      a: only(a, ...calls),
    }, { env });
    assert.equal(
      out,
      `NODE   OUTCOME   REASON
a      done      v1.13.1 is installed; the next boot starts it
`,
    );
    assert.equal(status, 0);
    assert.equal(a.boot(), 1);
    const [journal] = await listJournals(`${env.OS_HOME}/operations`);
    assert.equal(journal?.history.begin.operation, "upgrade install");
  });
});

Deno.test("upgrade install does not install a second image in the same boot", async () => {
  await withHome(async (env) => {
    const a = fresh();
    const nodes = { a: only(a, ...calls) };
    await runOn("upgrade install --to v1.13.1", nodes, { env });
    const { err, status } = await runOn("upgrade install --to v1.13.2", {
      a: only(a, "logs"),
    }, { env });
    assert.match(err, /was already installed in this boot.*\(S6\)/);
    assert.equal(status, 5);
    assert.deepEqual(a.sent, ["pull", "install"]);
  });
});
