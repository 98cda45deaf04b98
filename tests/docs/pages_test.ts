/** Every command line of every page, typed into a shell in the order of the page, on simulated nodes. */

import assert from "node:assert/strict";
import type { ClusterOptions } from "../../simulator/cluster/cluster.ts";
import { imagesIn } from "../../simulator/node/images.ts";
import { needs } from "../_needs.ts";
import {
  registryPrograms,
  upstream,
  withDebianRegistry,
} from "../_registries.ts";
import { withWire } from "../_wire.ts";
import { own } from "./_standalone_pages.ts";
import { readPage, readPages } from "./_pages.ts";
import { mine } from "./_reader_runbooks.ts";
import { troubleshooting } from "./_troubleshooting.ts";
import { hasLines, type PageSetup, typePage } from "./_type_page.ts";

/** Nodes boot in it, one after the other; on a busy machine that takes long. */
export const longestSeconds = 180;

/** Pages that no test types, and why. */
const notTyped: Readonly<Record<string, string>> = {
  "docs/local-clusters.md":
    "containers and virtual machines: tests/e2e/docker.ts, tests/e2e/virtual_machines.ts",
  "docs/site-ci.md":
    "it needs a CI system: tests/docs/site_ci_test.ts runs its shell steps",
};

/** Stops with status 76, as there is no terminal. */
const ask = ["osctl runbook run ./ask.runbook.yaml"];

/** Runs that take long are planned: tests/secrets/builtin_runs_test.ts runs each of them. */
const planned = [/runbook run +builtin:/, "runbook plan builtin:"] as const;

/** The configuration of a control plane. */
const saveConfig =
  "osctl get machineconfig v1alpha1 --show-secrets -n 10.5.0.2 -o 'jsonpath={.spec}' > node.yaml";

const recipes = new URL("../../docs/runbooks/cookbook/", import.meta.url);

async function readFiles(folder: URL): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  for await (const { name } of Deno.readDir(folder)) {
    files[name] = await Deno.readTextFile(new URL(name, folder));
  }
  return files;
}

/** Pages whose reader has a cluster. */
const withCluster: Readonly<Record<string, PageSetup>> = {
  "SECURITY.md": {},
  "docs/architecture.md": { replace: [["10.0.0.5", "10.5.0.2"]] },
  "docs/from-talosctl.md": {
    osconfigAt: ".talos/config",
    rows: {
      "Commands that change nodes use the default nodes of the context": [
        "osctl reboot 2>&1 | grep -- --nodes",
      ],
      "`reboot`, `upgrade`, `reset` take all nodes at once": [
        "osctl reboot --wait=false -n @controlplane; test $? = 5",
        "osctl upgrade --to v1.12.12 --wait=false -n @controlplane; test $? = 5",
        "osctl reset --wait=false --yes -n @controlplane; test $? = 5",
      ],
      "`apply-config --mode try` reverts unless the configuration is applied again":
        [
          "osctl patch mc --mode try --patch '[{op: add, path: /machine/sysctls, value: {vm.max_map_count: \"262144\"}}]' -n 10.5.0.5",
          "osctl get mc v1alpha1 -n 10.5.0.5 -o 'jsonpath={.spec}' | grep 262144",
        ],
      "Table commands exit with 0 when some nodes failed": [
        "osctl memory -n 10.5.0.2,nowhere; test $? = 3",
      ],
      "`upgrade --drain --wait=false` and `reboot --drain --wait=false` wait all the same":
        [
          "osctl reboot --drain --wait=false -n 10.5.0.5 2>&1 | grep 'Without --wait nothing would uncordon'",
        ],
      "`wipe disk`, `wipe lv`, `wipe md`, `wipe pv` and `wipe vg` wipe at once":
        ["osctl wipe disk vdb -n 10.5.0.5 2>&1 | grep -- --yes"],
      "Every failure is status 1": ["osctl memory --nothing; test $? = 2"],
      "`config merge` switches to the merged context":
        "tests/commands/config/merge_test.ts",
      "A missing client configuration is created empty": [
        "OSCONFIG= HOME=$PWD/none osctl version 2>&1 | grep none/.talos/config",
        "test ! -e none",
      ],
      "`support` encrypts the archive to its vendor unless told otherwise":
        "tests/commands/_support_encryption_test.ts",
      "`image talos-bundle` reads extensions and overlays from the registry":
        "tests/commands/image/os_bundle_test.ts",
      "A failed node is a line on standard error": [
        `osctl memory -n 10.5.0.2,nowhere -o json | grep '"error"'`,
      ],
      "`version` shows each node in seven lines": [
        "osctl version -n 10.5.0.2,10.5.0.5 | grep '^NODE  *TAG'",
      ],
      "`--insecure` with several nodes reaches one of them":
        "tests/wire/get_test.ts",
      "`--follow` ends when a node reboots": "tests/wire/follow_test.ts",
      "Secrets in resources are printed":
        "tests/commands/_resources/hidden_spec_test.ts",
      "`rotate-ca` prints keys": "tests/commands/rotate_ca_test.ts",
      "An interrupted `rotate-ca` has to be finished by hand":
        "tests/workflows/runbooks/builtin/rotate_ca_test.ts",
      "`rotate-ca` and `upgrade-k8s` replace the comments of a node's configuration":
        "tests/workflows/modules/configuration_comments_test.ts",
      "`upgrade-k8s` overwrites private image paths":
        "tests/commands/upgrade_k8s_test.ts",
      "`upgrade-k8s` deletes objects that are no longer in any manifest":
        "tests/workflows/modules/kubernetes_manifests_test.ts",
      "The outcome of an interrupted `upgrade` or `reset` is unknown":
        "tests/wire/resume_test.ts",
      "`talosctl cluster create dev`":
        "tests/commands/cluster/_qemu/create_test.ts",
      "`talosctl cluster create`": ["osctl cluster create embedded --name new"],
      "`talosctl config merge FILE`": [
        "osctl config context prod",
        "sed 's/prod/other/' .talos/config > other",
        "osctl config merge other",
        "osctl config info | grep 'Current context: *prod'",
        "osctl config merge other --set-current",
        "osctl config info | grep 'Current context: *other'",
        "osctl config context prod",
      ],
      "`talosctl dashboard`": ["osctl dashboard --help"],
      "`talosctl disks`": ["osctl disks"],
      "`talosctl etcd snapshot FILE`": [
        "osctl etcd snapshot -n 10.5.0.2 db.snapshot",
        "osctl etcd snapshot verify db.snapshot",
      ],
      "`talosctl gen config`": [
        saveConfig,
        "osctl gen secrets --from-controlplane-config node.yaml -o secrets.yaml",
        "osctl gen config lab https://10.5.0.2:6443 --with-secrets secrets.yaml -o one",
        "osctl machineconfig gen lab https://10.5.0.2:6443 --with-secrets secrets.yaml -o two",
        "diff one/worker.yaml two/worker.yaml",
      ],
      "`talosctl rotate-ca`": ["osctl rotate-ca"],
      "`talosctl upgrade`": [
        "osctl upgrade -n 10.5.0.5 --image ghcr.io/siderolabs/installer:v1.13.0",
        "osctl upgrade plan --to v1.13.4 -n 10.5.0.5",
      ],
      "`talosctl validate`": ["osctl validate -m metal -c one/worker.yaml"],
      // Run by the page of an upgrade of Kubernetes.
      "`talosctl conformance kubernetes`": [
        "osctl conformance kubernetes --help",
      ],
      "`kubectl cordon`, `kubectl drain`": [
        "osctl node cordon -n 10.5.0.5",
        "osctl node drain -n 10.5.0.5",
        "osctl node uncordon -n 10.5.0.5",
      ],
    },
  },
  "docs/runbooks/planning.md": { files: mine },
  "docs/runbooks/rehearsing.md": {
    replace: [
      ["10.0.0.2", "10.5.0.2"],
      [
        "rehearse builtin:rolling-upgrade",
        "$& --input singleControlPlane=true",
      ],
      // Two minutes: tests/commands/runbook/rehearse_test.ts rehearses with a matrix.
      [/\nmatrix: \[kill\]/, ""],
    ],
  },
  "docs/runbooks/typescript.md": {
    files: await readFiles(recipes),
    before: {
      "runbook new zones --typescript": ["mv zones.runbook.ts recipe.ts"],
      "runbook check ./zones.runbook.ts": [
        "sed 's/node.zone/nod.zone/; s/node.reboot/node.rebot/' recipe.ts > zones.runbook.ts",
        "osctl runbook trust zones.runbook.ts --yes",
      ],
    },
  },
  "docs/runbooks/cookbook.md": {
    files: await readFiles(recipes),
    replace: [["runbook run ./canary-undo.runbook.yaml", "$& --input soak=0s"]],
    before: {
      'runbook approve last review --reason "reviewed C-4711"': [
        "osctl runbook run ./second-person.runbook.yaml --input change=C-4711",
      ],
    },
    notTyped: {
      "runbook resume last --set soak=1m":
        "a run that waits: tests/commands/runbook/resume_test.ts",
    },
  },
  "docs/runbooks/fleet.md": {
    files: mine,
    before: { "runbook approve last": ask },
    replace: [["OS_HOME=/state/prod-eu-1", ""]],
    notCompared:
      "the end of a fleet: tests/commands/runbook/fleet_report_test.ts",
  },
  "docs/runbooks/watching.md": {
    files: mine,
    before: { "runbook status -w": ask },
    notCompared: "the middle of a run: tests/e2e/watch_run_test.ts",
  },
  "docs/runbooks/certificate-renewal.md": {
    before: {
      "config renew --with-secrets secrets.yaml": [
        saveConfig,
        "osctl gen secrets --from-controlplane-config node.yaml -o secrets.yaml",
      ],
    },
  },
  "docs/runbooks/cluster-reboot.md": { replace: [planned] },
  "docs/runbooks/config-rollout.md": {
    files: { "patch.yaml": "machine: { nodeLabels: { rack: a1 } }\n" },
    replace: [planned, ["10.0.0.5", "10.5.0.5"]],
    before: {
      "machineconfig patch node.yaml --patch @patch.yaml | diff node.yaml -": [
        saveConfig,
      ],
    },
    shows: {
      // Output of `diff` for different files.
      "machineconfig patch node.yaml --patch @patch.yaml | diff node.yaml -": [
        /^> +rack: a1$/m,
        1,
      ],
    },
    notTyped: { "patch machineconfig --nodes 10.0.0.5": "without its patch" },
  },
  "docs/runbooks/rolling-upgrade.md": { replace: [planned] },
  "docs/runbooks/running.md": {
    files: mine,
    replace: [planned, ["worker-3", "prod-worker-2"]],
  },
  "docs/runbooks/rotate-ca.md": {
    replace: [planned, ["rotate-ca --dry-run=false", "rotate-ca"]],
  },
  "docs/runbooks/replace-controlplane.md": {
    replace: [planned, ["old=cp-2", "old=prod-controlplane-2"]],
  },
  "docs/runbooks/etcd-recovery.md": {
    files: { "db.snapshot": "" },
    replace: [planned, ["cluster=production", "cluster=prod"]],
    shows: {
      "runbook run builtin:etcd-recovery --input cluster=production --input snapshot=db.snapshot":
        [/Check that quorum is lost: etcd still has quorum/, 5],
    },
  },
};

for (const [path, setup] of Object.entries(own)) {
  // It captures packets with an expression.
  const programs = path === "docs/command-line.md" ? ["tcpdump"] as const : [];
  Deno.test(
    `${path}: command lines and output are as shown`,
    needs(...programs),
    async () => {
      await typePage(await readPage(path), setup);
    },
  );
}

Deno.test("pages about a cluster: command lines and output are as shown", async (test) => {
  const cluster: ClusterOptions = {
    ...{ name: "prod", controlplanes: 3, workers: 2, etcd: "model" },
    release: { tag: "v1.13.0" },
  };
  await withWire(cluster, async ({ osconfig }) => {
    for (const [path, setup] of Object.entries(withCluster)) {
      const page = await readPage(path);
      await test.step(path, () => typePage(page, { ...setup, osconfig }));
    }
  });
});

const kubernetes = "docs/runbooks/upgrade-kubernetes.md";

Deno.test(`${kubernetes}: command lines and output are as shown`, async () => {
  await withWire({ workers: 1 }, async ({ osconfig }) => {
    await typePage(await readPage(kubernetes), {
      osconfig,
      replace: [["conformance kubernetes", "$& --results results"]],
      shows: {
        "upgrade-k8s --to 1.35.0 --dry-run": [
          /^10\.5\.0\.2: kube-apiserver \S+:v1\.34\.1 -> \S+:v1\.35\.0$[^]*^10\.5\.0\.3: kubelet [^]*^change apps\/v1\.DaemonSet\/kube-system\/kube-proxy$[^]*Nothing was changed/m,
        ],
        "upgrade-k8s --to 1.35.0": [/succeeded/],
        "get kubeletspecs -o yaml --nodes @all": [
          /kubelet:v1\.35\.0[^]*kubelet:v1\.35\.0/,
        ],
        "health --run-e2e": [/tests in Kubernetes to succeed +ok/],
        "conformance kubernetes": [
          /^parallel: passed .*\n^serial: passed /m,
        ],
      },
    });
  });
});

const trouble = "docs/troubleshooting.md";

Deno.test(`${trouble}: output is as shown on a cluster with many faults`, async () => {
  await withWire({ workers: 2 }, async ({ cluster, osconfig, names }) => {
    const [first = "", second = "", third = ""] = names;
    for (const fault of troubleshooting.faults) {
      await cluster.setFault(second, fault);
    }
    await cluster.setFault(first, "etcd-nospace");
    await cluster.setFault(third, "unavailable");
    await typePage(await readPage(trouble), {
      ...troubleshooting.setup,
      osconfig,
    });
  });
});

const airGap = "docs/runbooks/air-gapped-upgrade.md";

Deno.test({
  name:
    `${airGap}: command lines and output are as shown, before the cluster is upgraded`,
  ...needs(...registryPrograms),
  async fn() {
    await using internet = upstream();
    const cluster: ClusterOptions = {
      ...{ controlplanes: 3, workers: 1, etcd: "model" },
      release: { tag: "v1.12.11" },
    };
    await withDebianRegistry(({ host, folder, env }) =>
      withWire(cluster, async ({ cluster, osconfig, osctl }) => {
        // Registries have the images that nodes run.
        for (const node of cluster.nodes) {
          for (const store of ["cri/k8s.io", "cri/system"] as const) {
            const images = await imagesIn(node, store);
            for (const [name, image] of images) {
              const [, own = ""] = /^[^/]+\/(.+)$/.exec(image.source) ?? [];
              images.set(name, { ...image, digest: internet.findDigest(own) });
            }
          }
        }
        const upgrade = "airgap images --to-os v1.13.9 --to-kubernetes v1.35.0";
        const list = "--image-list /media/usb/images.txt";
        await typePage(await readPage(airGap), {
          ...{ osconfig, env },
          files: { "ca.crt": await Deno.readTextFile(`${folder}/ca.crt`) },
          replace: [
            [/--to \/media\S+/, `$& --from http://${internet.host}`],
            ["registry.example.com:5000", host],
            ["/media/usb", folder],
            ["run builtin:rolling-upgrade", "$& --input soak=0s"],
          ],
          shows: {
            [upgrade]: [
              /^ghcr\.io\/\S+\/installer:v1\.13\.9 +10\.5\.0\.2: upgrade to v1\.13\.9/m,
            ],
            [`airgap mirror ${list} --to /media/usb/images`]: [
              /^registry\.k8s\.io\/pause:3\.10\.1 +sha256:\w+ +copied .* linux\/amd64,linux\/arm64$/m,
            ],
            [`airgap verify ${list} --mirror /media/usb/images --pull never`]: [
              /^\S+ +registry\.k8s\.io\/kube-apiserver:v1\.35\.0 +sha256:\w+ +ok$/m,
            ],
            "airgap mirror --from /media/usb/images --to registry.example.com:5000 --ca-file ca.crt":
              [/^registry\.k8s\.io\/etcd:v3\.6\.12 +sha256:\w+ +copied /m],
            [`airgap verify ${list} --mirror registry.example.com:5000 --ca-file ca.crt --pull never`]:
              [/^\S+ +registry\.k8s\.io\/etcd:v3\.6\.12 +sha256:\w+ +ok$/m],
            "patch machineconfig --patch @mirrors.yaml --nodes @all": [
              /^10\.5\.0\.5: patched$/m,
            ],
            [`airgap verify ${list} --pull keep --nodes @all`]: [
              /^10\.5\.0\.5 +registry\.k8s\.io\/kube-apiserver:v1\.35\.0 +pulled$/m,
            ],
            "airgap images": [
              /^registry\.k8s\.io\/kube-proxy:v1\.35\.0 +sha256:/m,
            ],
          },
        });
        // The running version was on the disk.
        const carried = await Deno.readTextFile(`${folder}/images.txt`);
        assert.match(
          carried,
          /^registry\.k8s\.io\/kube-proxy:v1\.34\.1@sha256:\w{64}\nregistry\.k8s\.io\/kube-proxy:v1\.35\.0$/m,
        );
        const { out } = await osctl("airgap images --list=tags");
        const missing = out.trim().split("\n").filter((image) =>
          !carried.split("\n").some((line) => line.split("@")[0] === image)
        );
        assert.deepEqual(missing, []);
      })
    );
  },
});

Deno.test("every page with command lines is typed, or listed with a reason", async () => {
  const typed = [
    ...[own, withCluster, notTyped].flatMap(Object.keys),
    ...[kubernetes, trouble, airGap],
  ];
  const found: string[] = [];
  for (const page of await readPages()) {
    if (await hasLines(page)) found.push(page.path);
  }
  assert.deepEqual(found, typed.toSorted());
});
