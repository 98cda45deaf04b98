import assert from "node:assert/strict";
import { run } from "../../_run.ts";

Deno.test("runbook types prints declarations that a runbook can be checked with", async () => {
  const { out, err, status } = await run("runbook types");
  assert.deepEqual([err, status], ["", 0]);
  assert.match(out, /^export interface Api \{$/m);
  const dir = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${dir}/osctl-runbook.d.ts`, out);
    const check = async (given: string) => {
      await Deno.writeTextFile(
        `${dir}/a.ts`,
        `import type { Api } from "./osctl-runbook.d.ts";
export default (rb: Api) =>
  rb.runbook("a", { title: "A" }, (b) => { ${given} });
`,
      );
      const { code } = await new Deno.Command(Deno.execPath(), {
        args: ["check", "--no-config", "--quiet", `${dir}/a.ts`],
        stderr: "null",
      }).output();
      return code;
    };
    assert.equal(await check('b.sleep("s", b.input.duration("d"));'), 0);
    assert.notEqual(await check('b.slep("s", "1s");'), 0);
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
