import assert from "node:assert/strict";
import { run } from "../../_run.ts";

const program = `export default (rb) =>
  rb.runbook("a", { title: "A" }, (b) => b.sleep("s", "1s"));
`;
const sha256 = new Uint8Array(
  await crypto.subtle.digest("SHA-256", new TextEncoder().encode(program)),
).toHex();

async function within(
  test: (given: {
    readonly path: string;
    readonly dir: string;
    readonly trust: (
      line: string,
      stdin?: string,
    ) => Promise<{ out: string; err: string; status: number }>;
  }) => Promise<void>,
): Promise<void> {
  const dir = await Deno.makeTempDir();
  try {
    const path = `${dir}/a.ts`;
    await Deno.writeTextFile(path, program);
    await test({
      path,
      dir,
      trust: async (line, stdin = "") => {
        const ran = await run(`runbook trust ${line}`, {}, {
          stdin,
          env: { HOME: dir },
        });
        return { out: ran.out, err: ran.err, status: ran.status };
      },
    });
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
}

Deno.test("runbook trust shows the program and asks", () =>
  within(async ({ path, dir, trust }) => {
    const shown = `${program}trust "${path}"? (y/N): `;
    assert.deepEqual(await trust(path, "n\n"), {
      out: "",
      err: `${shown}\nerror: "${path}" is not trusted\n`,
      status: 5,
    });
    await assert.rejects(Deno.stat(`${dir}/.os/trusted-runbooks.json`));
    assert.deepEqual(await trust(path, "y\n"), {
      out: `${path} is trusted: ${sha256}\n`,
      err: `${shown}\n`,
      status: 0,
    });
    const { trusted } = JSON.parse(
      await Deno.readTextFile(`${dir}/.os/trusted-runbooks.json`),
    );
    assert.deepEqual(
      trusted.map(({ path, sha256 }: Record<string, string>) => [path, sha256]),
      [[path, sha256]],
    );
  }));

Deno.test("runbook trust hides nothing from who reads", () =>
  within(async ({ path, trust }) => {
    await Deno.writeTextFile(
      path,
      "/*\x1b]*/ evil() /*\x07*/ \u202e//\ta\r\nb\n",
    );
    const { err } = await trust(path, "n\n");
    assert.equal(
      err.split("\n")[0],
      "/*\\u{1b}]*/ evil() /*\\u{7}*/ \\u{202e}//  a\\u{d}",
    );
  }));

Deno.test("runbook trust refuses what could not be called", () =>
  within(async ({ path, dir, trust }) => {
    const said = async (line: string) => {
      const { err, status } = await trust(line);
      return [err.split("\n")[0], status];
    };
    assert.deepEqual(await said("a.yaml"), [
      'error: Cannot trust "a.yaml": it is not a TypeScript runbook',
      2,
    ]);
    assert.deepEqual(await said(`${dir}/none.ts`), [
      `error: Cannot trust "${dir}/none.ts": no such file`,
      2,
    ]);
    await Deno.writeTextFile(path, "export default 1;");
    await Deno.mkdir(`${dir}/.os`);
    const policy = `${dir}/.os/runbook-policy.yaml`;
    await Deno.writeTextFile(policy, "typescript: never\n");
    assert.deepEqual(await said(`${path} -y`), [
      `error: Cannot use "${path}": "${policy}" forbids TypeScript runbooks`,
      5,
    ]);
  }));
