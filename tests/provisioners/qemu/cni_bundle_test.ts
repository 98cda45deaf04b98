import assert from "node:assert/strict";
import { installPlugins } from "../../../provisioners/qemu/cni_bundle.ts";
import { quietPhases } from "../../../commands/cluster/_phases.ts";
import { withFolder } from "../../_folder.ts";
import { command } from "./_command.ts";

const tree = {
  "all/bridge": "1",
  "all/firewall": "2",
  "all/static": "3",
  "all/tc-redirect-tap": "4",
  "all/more/inside": "5",
  "few/bridge": "1",
};

/** Serves archives of the folders of {@linkcode tree}, and something that is none. Returns what was asked for. */
async function startServer(
  folder: string,
  use: (url: string, asked: readonly string[]) => Promise<void>,
): Promise<void> {
  await Deno.symlink("/etc/hostname", `${folder}/all/link`);
  for (const name of ["all", "few"]) {
    await command([
      "tar",
      "-czf",
      `${folder}/${name}.tar.gz`,
      "-C",
      `${folder}/${name}`,
      ".",
    ]);
  }
  await Deno.writeTextFile(`${folder}/none.tar.gz`, "no archive");
  const asked: string[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen() {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      asked.push(pathname);
      const bytes = await Deno.readFile(folder + pathname).catch(() =>
        undefined
      );
      return new Response(bytes ?? null, { status: bytes ? 200 : 404 });
    },
  );
  try {
    await use(`http://127.0.0.1:${server.addr.port}`, asked);
  } finally {
    await server.shutdown();
  }
}

const { signal } = new AbortController();
const options = { signal, progress: quietPhases };

Deno.test("installPlugins unpacks an archive into the first folder when plugins are missing, and asks no more then", async () => {
  await withFolder(tree, async (folder) => {
    await startServer(folder, async (url, asked) => {
      const wanted = {
        binPaths: [`${folder}/bin`, `${folder}/other`],
        cacheDir: `${folder}/cache`,
        confDir: "",
        bundleUrl: `${url}/all.tar.gz`,
      };
      await installPlugins(wanted, options);
      await installPlugins(wanted, options);
      assert.deepEqual(asked, ["/all.tar.gz.sha256", "/all.tar.gz"]);
      const names = (await Array.fromAsync(Deno.readDir(`${folder}/bin`)))
        .map(({ name }) => name).sort();
      assert.deepEqual(names, [
        "bridge",
        "firewall",
        "static",
        "tc-redirect-tap",
      ]);
      const { mode } = await Deno.stat(`${folder}/bin/static`);
      assert.equal((mode ?? 0) & 0o777, 0o755);
      assert.equal(await Deno.readTextFile(`${folder}/bin/static`), "3");
    });
  });
});

Deno.test("installPlugins refuses archives that lack plugins, or are none", async () => {
  await withFolder(tree, async (folder) => {
    await startServer(folder, async (url) => {
      const wanted = {
        binPaths: [`${folder}/bin`],
        cacheDir: `${folder}/cache`,
        confDir: "",
      };
      await assert.rejects(
        installPlugins({ ...wanted, bundleUrl: `${url}/few.tar.gz` }, options),
        {
          message:
            `Cannot use ${url}/few.tar.gz: it lacks the CNI plugins firewall, static, tc-redirect-tap`,
        },
      );
      await assert.rejects(
        installPlugins({ ...wanted, bundleUrl: `${url}/none.tar.gz` }, options),
        { message: /Cannot unpack ".*": it is not a valid \.tar\.gz/ },
      );
      // Without an archive, the check before the creation reports what is missing.
      await installPlugins(wanted, options);
    });
  });
});
