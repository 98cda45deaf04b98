import assert from "node:assert/strict";
import { kubeconfigTarget } from "../../commands/kubeconfig.ts";
import { withFolder } from "../_folder.ts";

const files = {
  "config": "",
  "empty/": "",
  "full/kubeconfig": "",
  "odd/kubeconfig/": "",
};

async function targets(
  cases: readonly (readonly [
    Partial<Parameters<typeof kubeconfigTarget>[0]>,
    Record<string, string>?,
  ])[],
) {
  const found: string[] = [];
  await withFolder(files, async (folder) => {
    for (const [request, variables = {}] of cases) {
      const { path } = request;
      const given = path === undefined || path === "-"
        ? path
        : `${folder}/${path}`;
      const env = (name: string) => variables[name]?.replaceAll("~", folder);
      try {
        const target = await kubeconfigTarget(
          { merge: true, force: false, ...request, path: given },
          { env, os: "linux" },
        );
        found.push(
          target.kind === "output"
            ? "output"
            : `${target.kind} ${target.path.replace(folder, "~")}`,
        );
      } catch (error) {
        assert.ok(error instanceof Error);
        found.push(error.message.replaceAll(folder, "~"));
      }
    }
  });
  return found;
}

Deno.test("a file that is there is merged into, replaced by force, else refused", async () => {
  assert.deepEqual(
    await targets([
      [{ path: "config" }],
      [{ path: "config", merge: false, force: true }],
      [{ path: "config", merge: false }],
      [{ path: "new" }],
      [{ path: "new", merge: false }],
    ]),
    [
      "merged ~/config",
      "replaced ~/config",
      'Kubeconfig "~/config" already exists',
      "new ~/new",
      "new ~/new",
    ],
  );
});

Deno.test("in a folder it is called kubeconfig", async () => {
  assert.deepEqual(
    await targets([
      [{ path: "empty" }],
      [{ path: "full/" }],
      [{ path: "odd" }],
    ]),
    [
      "new ~/empty/kubeconfig",
      "merged ~/full/kubeconfig",
      'Cannot write kubeconfig "~/odd/kubeconfig": it is a directory',
    ],
  );
});

Deno.test("without a path it goes where other programs look, unmerged to the working directory", async () => {
  assert.deepEqual(
    await targets([
      [{}, { KUBECONFIG: ":~/config:" }],
      [{}, { HOME: "~/" }],
      [{}, { KUBECONFIG: "~/config:~/b" }],
      [{}],
      [{ merge: false }],
      [{ path: "-" }],
    ]),
    [
      "merged ~/config",
      "new ~/.kube/config",
      "KUBECONFIG names 2 files: ~/config, ~/b",
      "Cannot determine where to write the kubeconfig",
      "new kubeconfig",
      "output",
    ],
  );
});
