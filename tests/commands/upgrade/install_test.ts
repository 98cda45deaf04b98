import assert from "node:assert/strict";
import { RpcError } from "../../../errors.ts";
import { listJournals } from "../../../workflows/operations/journal_file.ts";
import { runOn } from "../../_run.ts";
import { upgradable } from "../../workflows/operations/_upgradable.ts";
import { withHome } from "../_home.ts";
import { only } from "./_asked.ts";

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

Deno.test("upgrade install -o jsonl carries node, outcome and reason", async () => {
  await withHome(async (env) => {
    const { out } = await runOn("upgrade install --to v1.13.0 -o jsonl", {
      a: only(fresh(), "logs", "processes"),
    }, { env });
    assert.deepEqual(JSON.parse(out), {
      node: "a",
      outcome: "unchanged",
      reason:
        "already runs v1.13.0; nothing was sent, so the node has not checked the image or etcd",
    });
  });
});

Deno.test("upgrade install still tells the good nodes when one cannot", async () => {
  await withHome(async (env) => {
    const b = {
      ...only(fresh(), "logs", "processes"),
      async *pull() {
        yield* [];
        await Promise.resolve();
        throw new RpcError("NOT_FOUND", "no such image");
      },
    };
    const { out, err, status } = await runOn("upgrade install --to v1.13.1", {
      a: only(fresh(), ...calls),
      b,
      c: only(fresh(), ...calls),
    }, { env });
    assert.deepEqual(
      out.trimEnd().split("\n").slice(1).map((line) => line.slice(0, 11)),
      ["a      done", "c      done"],
    );
    assert.match(err, /^error: b: failed: no such image$/m);
    assert.equal(status, 3);
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

Deno.test("upgrade install refuses what it does not know", async () => {
  for (const line of ["--stage", "--to x", "now"]) {
    const { err, status } = await runOn(`upgrade install ${line}`);
    assert.match(err, new RegExp(line.split(" ")[0] ?? ""));
    assert.equal(status, 2);
  }
});
