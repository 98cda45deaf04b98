import assert from "node:assert/strict";
import { renderSecrets } from "../../config/generate/secrets_file.ts";
import { someSecrets } from "../config/generate/_bundle.ts";
import { withFolder } from "../_folder.ts";
import { type Disk, withDisk } from "../_full_disk.ts";
import { namespaces, needs, root } from "../_needs.ts";
import { withWire } from "../_wire.ts";

/** Command lines, and the file that they cannot write. */
const changes: readonly (readonly [line: string, file: string])[] = [
  ["reboot -n WORKER --yes", "home/operations/ID-reboot.jsonl"],
  ["shutdown -n WORKER --yes", "home/operations/ID-shutdown.jsonl"],
  ["upgrade -n WORKER --to v1.12.12 --yes", "home/operations/ID-upgrade.jsonl"],
  [
    "service kubelet restart -n WORKER",
    "home/operations/ID-service-restart.jsonl",
  ],
];

/** Those that change no node, so that they may also be tried with a little room. */
const others: typeof changes = [
  ["cluster create embedded", "home/clusters/os-default/state.yaml"],
  ["support -n WORKER -O DISK/a.zip", "a.zip"],
  ["etcd snapshot DISK/db.snapshot -n CONTROL", "db.snapshot"],
  ["kubeconfig DISK/kubeconfig -n CONTROL", "kubeconfig"],
  [
    "gen config a https://10.0.0.1:6443 --with-secrets FOLDER/secrets -o DISK/made",
    "made/controlplane.yaml",
  ],
  ["gen key --name DISK/admin", "admin.key"],
  ["config merge FOLDER/other", "osconfig.bak"],
  ["config new DISK/reader -n CONTROL", "reader"],
  ["copy /etc/os-release DISK/copied -n WORKER", "copied/os-release"],
  [
    "pcap -n WORKER --duration 50ms --exclude-node-api=false -o DISK/a.pcap",
    "a.pcap",
  ],
  ["machineconfig patch FOLDER/a.yaml -p {} -o DISK/b.yaml", "b.yaml"],
  [
    "runbook run builtin:rolling-upgrade --input version=v1.12.12 -y",
    "home/run-keys/ID",
  ],
  ["runbook new DISK/a.runbook.yaml", "a.runbook.yaml"],
  ["edit mc -n WORKER", "osctl-edit-ID/edit.yaml"],
];

Deno.test({
  name:
    "of what a full disk does not take, the file is named, and nothing is left or sent",
  ...needs(root, namespaces.mount),
  fn: () =>
    withFolder(
      {
        "disk/": "",
        "a.yaml": "machine: {type: worker}\n",
        secrets: renderSecrets(someSecrets),
      },
      (folder) =>
        withDisk(`${folder}/disk`, async (disk) => {
          const before = Deno.env.get("TMPDIR");
          // The runtime itself reads it.
          Deno.env.set("TMPDIR", disk.path);
          try {
            await checkAll(folder, disk);
          } finally {
            if (before === undefined) Deno.env.delete("TMPDIR");
            else Deno.env.set("TMPDIR", before);
          }
        }),
    ),
});

async function checkAll(folder: string, disk: Disk): Promise<void> {
  await withWire(
    { workers: 1 },
    async ({ osctl, names, osconfig, cluster }) => {
      const [control = "", worker = ""] = names;
      const env = {
        OS_HOME: `${disk.path}/home`,
        HOME: disk.path,
        OSCONFIG: `${disk.path}/osconfig`,
        EDITOR: "true",
      };
      await Deno.mkdir(env.OS_HOME);
      const own = await Deno.readTextFile(osconfig);
      await Deno.writeTextFile(env.OSCONFIG, own);
      await Deno.writeTextFile(
        `${folder}/other`,
        own.replaceAll("simulated", "second"),
      );
      const boots = cluster.nodes.map(({ boot }) => boot.id);
      const cases = [
        ...[...changes, ...others].map((one) => [0, ...one] as const),
        ...others.map((one) => [1, ...one] as const),
      ];
      let halfWay = 0;
      for (const [pages, line, file] of cases) {
        const words = line.replaceAll("DISK", disk.path)
          .replaceAll("FOLDER", folder)
          .replaceAll("WORKER", worker).replaceAll("CONTROL", control);
        await disk.fill(pages);
        const there = await filesIn(disk.path);
        const { err, status } = await osctl(words, { env, typed: true });
        // A page is enough for some, and the beginning of what others write.
        if (pages > 0 && status === 0) continue;
        halfWay += pages;
        const said = err.replaceAll(`${disk.path}/`, "")
          .replace(/\d{8}-\d{6}-([a-z-]+)-[0-9a-f]{4}\.jsonl/, "ID-$1.jsonl")
          .replace(/run-keys\/[-\w]+/, "run-keys/ID")
          .replace(/osctl-edit-\w+/, "osctl-edit-ID");
        const [, named] =
          /Cannot write "(.+)": no space left on the disk$/m.exec(said) ?? [];
        if (pages === 0) assert.equal(named, file, `${line}: ${said}`);
        else assert.notEqual(named, undefined, `${line}: ${said}`);
        assert.match(said, /^hint: Free disk space, then try again$/m, line);
        assert.doesNotMatch(said, /bug in osctl|\n {4}at /, line);
        assert.notEqual(status, 0, line);
        assert.deepEqual(await filesIn(disk.path), there, line);
      }
      assert.ok(halfWay > 5, `${halfWay}`);
      assert.deepEqual(cluster.nodes.map(({ boot }) => boot.id), boots);
    },
  );
}

/** Files and their sizes, but for locks, which hold nothing, and whole copies of what was there. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const all: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) all.push(...await filesIn(path));
    else if (!/\.(?:lock|bak)$/.test(name)) {
      all.push(`${path}: ${(await Deno.stat(path)).size}`);
    }
  }
  return all.sort();
}
