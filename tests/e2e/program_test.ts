import assert from "node:assert/strict";
import { runtimeFlags } from "../../provisioners/own_command.ts";
import { executable, needs } from "../_needs.ts";
import { portableExecutable, run, withFolder } from "./_osctl.ts";

const program = `
import type { Api } from "./osctl-runbook.d.ts";

export default (rb: Api) => {
  const left = ["Deno", "fetch", "Worker", "process"]
    .filter((name) => name in globalThis);
  return rb.runbook("program", { title: "left: " + left.join() }, (b) => {
    b.sleep("nap", "1s" as string);
  });
};
`;

async function inFolder(
  test: (given: {
    readonly path: string;
    readonly folder: string;
    readonly osctl: (...args: readonly string[]) => ReturnType<typeof run>;
  }) => Promise<void>,
): Promise<void> {
  await withFolder(async (folder) => {
    const env = environment(folder);
    const path = `${folder}/a.runbook.ts`;
    await Deno.writeTextFile(path, program);
    await test({ path, folder, osctl: (...args) => run(args, { env }) });
  });
}

Deno.test({
  name: "the executable calls a runbook in TypeScript without any rights",
  ...needs(executable),
  fn: () =>
    inFolder(async ({ path, osctl }) => {
      const untrusted = await osctl("runbook", "check", path);
      assert.match(untrusted.err, /you have not trusted it/);
      assert.equal((await osctl("runbook", "trust", "-y", path)).code, 0);
      // A worker with any right answers with it instead of a document.
      const shown = await osctl("runbook", "show", path);
      assert.deepEqual([shown.err, shown.code], ["", 0]);
      assert.equal(shown.out.split("\n")[0], "program: left: ");
    }),
});

Deno.test({
  name:
    "the runtime of the executable takes the rights of workers away, without a prompt",
  ...needs(portableExecutable),
  fn: () =>
    inFolder(async ({ path, folder, osctl }) => {
      await osctl("version", "--client");
      const tries = {
        read: `Deno.readTextFile(${JSON.stringify(path)})`,
        write: `Deno.writeTextFile(${JSON.stringify(`${folder}/new`)}, "")`,
        env: 'Deno.env.get("HOME")',
        net: 'Deno.connect({ hostname: "127.0.0.1", port: 9 })',
        run: 'new Deno.Command("true").output()',
        module: 'import("npm:left-pad")',
        remote: 'import("https://127.0.0.1:9/a.ts")',
      };
      const worker = `onmessage = async () => {
        const seen = {};
        ${
        Object.entries(tries).map(([name, what]) =>
          `try { await ${what}; seen.${name} = "can"; } catch (error) { seen.${name} = error.name; }`
        ).join("\n")
      }
        postMessage(seen);
      };`;
      const main = `const url = URL.createObjectURL(new Blob([${
        JSON.stringify(worker)
      }], { type: "text/javascript" }));
        const permissions = Deno.args[0];
        const worker = new Worker(url, { type: "module", deno: { permissions } });
        worker.onmessage = ({ data }) => { console.log(JSON.stringify(data)); worker.terminate(); };
        worker.postMessage(1);`;
      await Deno.writeTextFile(`${folder}/main.js`, main);
      const [unpacked] = await foldersIn(`${folder}/osctl`);
      const seen = async (permissions: string) => {
        const path = `${folder}/osctl/${unpacked}/deno`;
        const args = [...runtimeFlags, `${folder}/main.js`, permissions];
        const { out } = await run(args, { path, env: environment(folder) });
        return JSON.parse(out);
      };
      const none = await seen("none");
      assert.deepEqual(none, {
        read: "NotCapable",
        write: "NotCapable",
        env: "NotCapable",
        net: "NotCapable",
        run: "NotCapable",
        module: "TypeError",
        remote: "TypeError",
      });
      const all = await seen("inherit");
      assert.deepEqual([all.read, all.env, all.run], ["can", "can", "can"]);
    }),
});

function environment(folder: string): Record<string, string> {
  const path = Deno.env.get("PATH") ?? "";
  return { HOME: folder, XDG_CACHE_HOME: folder, TMPDIR: folder, PATH: path };
}

async function foldersIn(path: string): Promise<string[]> {
  const entries = await Array.fromAsync(Deno.readDir(path));
  return entries.map(({ name }) => name);
}
