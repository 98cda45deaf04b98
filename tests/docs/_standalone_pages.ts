/** Requirements of pages for readers who start with nothing. */

import type { PageSetup } from "./_type_page.ts";

const internet = "from the internet: docs/runbooks/air-gapped-upgrade.md";

/** Why commands on the cluster of a site are not typed. */
const onCluster = "tests/commands/site does the same on clusters of its own";

/** The secrets of a cluster that was created; new keys take long to make. */
const saveSecrets =
  "osctl gen secrets --from-controlplane-config controlplane.yaml -o saved.yaml";

/** Pages whose reader starts with nothing. */
export const own: Readonly<Record<string, PageSetup>> = {
  "README.md": {
    before: {
      "logs kubelet --merge --since 1h --nodes @all": ["sleep 1"],
    },
    replace: [[
      /runbook plan builtin:.*/,
      "runbook plan builtin:rolling-upgrade --input version=v1.13.0",
    ]],
    notTyped: {
      dashboard: "full screen: tests/commands/dashboard_test.ts",
    },
  },
  "docs/air-gap.md": {
    before: {
      "airgap images --to-os v1.13.9 --to-kubernetes v1.35.0": [
        "osctl cluster create embedded",
      ],
    },
    notTyped: {
      "airgap mirror --to-kubernetes v1.35.0 --to ./images": internet,
      "airgap mirror --from ./images --to registry.example.com": internet,
      "airgap verify --mirror registry.example.com": internet,
    },
  },
  "docs/command-line.md": {
    replace: [
      ["gen config lab", "$& --with-secrets saved.yaml"],
      ["support -n @all", "support -n 10.0.0.5"],
      ["-f worker.yaml -n 10.0.0.5", "-f worker.yaml -n $waiting"],
      ["10.0.0.5", "$(osctl cluster show -o 'jsonpath={.nodes[4].id}')"],
    ],
    before: {
      "cluster create embedded --controlplanes 3 --workers 2": [
        "osctl cluster create embedded --name new --skip-injecting-config",
        "waiting=$(osctl cluster show --name new -o 'jsonpath={.nodes[1].id}')",
        saveSecrets,
        "rm controlplane.yaml worker.yaml",
      ],
    },
    notTyped: {
      "dashboard --nodes @all": "full screen: tests/commands/dashboard_test.ts",
      "image cache-create --images IMAGE --image-cache-path DIR":
        "words to replace: tests/commands/image",
    },
  },
  "docs/faq.md": {},
  "docs/glossary.md": {},
  "docs/libraries.md": {},
  "docs/first-cluster.md": {
    notTyped: {
      "dashboard --nodes @all": "full screen: tests/commands/dashboard_test.ts",
    },
    replace: [
      ["runbook run builtin", "runbook plan builtin"],
    ],
  },
  "docs/installation.md": {
    notTyped: {
      "completion fish | source": "fish: tests/e2e/completion_test.ts",
      'completion zsh > "${fpath[1]}/_osctl"':
        "zsh: tests/e2e/completion_test.ts",
    },
  },
  "docs/runbooks/README.md": {
    before: { "runbook status": ["wait"] },
    shows: {
      "runbook status": [/interrupted/],
      "runbook resume": [/succeeded/],
    },
    slept: ["runbook events last", /rebooting/],
  },
  "docs/configuration.md": {
    replace: [["osctl gen secrets -o", "mv saved.yaml"]],
    before: {
      "rm controlplane.yaml worker.yaml": [saveSecrets],
      service: [
        "until osctl service | grep -c ' apid ' | grep 2; do sleep; done",
      ],
    },
  },
  "docs/contributing.md": {
    notTyped: {
      "uptime --nodes @all": "a command that the page has its reader write",
      "uptime --help": "the same",
    },
  },
  "docs/operations.md": {
    replace: [["20260102-030405-reboot-a1b2", "$id"]],
    slept: ["operation list", / [12]\/3$/m],
    before: {
      "operation list": ["wait"],
      "operation resume 20260102-030405-reboot-a1b2": [
        "id=$(osctl operation list -o 'jsonpath={.id}')",
      ],
    },
  },
  "docs/runbooks/first-runbook.md": {
    replace: [[/runbook run .*/, "$& --input soak=0s"]],
    before: {
      // Step 2.
      "runbook check restart-workers.runbook.yaml": [
        `awk '/^steps:/ { while ((getline line < "block") > 0) print line; seen = 1 } / id: go$/ { seen = 0; print "" } !seen' restart-workers.runbook.yaml > changed`,
        "mv changed restart-workers.runbook.yaml",
      ],
    },
  },
  "docs/simulated-nodes.md": {},
  "docs/site.md": {
    // Secrets for newer versions have an RSA key, which takes long to generate.
    replace: [["--os v1.13.9", "--os v1.6.8"]],
    before: {
      "site check --site lab": [
        `awk '/^nodes:/ { while ((getline line < "block") > 0) print line; next } 1' lab/site.yaml > changed`,
        "mv changed lab/site.yaml",
      ],
    },
    shows: {
      "site check --site lab": [/^lab is valid, 2 nodes\n$/],
      "site render --site lab -n worker-1": [/example.com\/storage: "true"/],
    },
    notTyped: {
      "cluster create embedded --name sitelab --controlplanes 3 --workers 2":
        onCluster,
      "site init live --from-live": onCluster,
      "site diff --site live": onCluster,
      "site plan --site live": onCluster,
      "site rehearse --site live": onCluster,
      "site apply --site live --yes": onCluster,
      "site diff --site live --exit-code": onCluster,
      "site status --site live": onCluster,
      "site plan --site live -o plan.json": onCluster,
      "site apply plan.json --site live --yes": onCluster,
      "cluster destroy --name sitelab": onCluster,
      "site init lab --from-live -n 10.0.0.2": "it needs a running cluster",
      "site import talconfig.yaml -o lab": "it needs a talconfig.yaml",
      "site rehearse --site lab --offline --new @all":
        "the older version above cannot be created in a rehearsal",
      "site render --register": "it sends schematics to an image factory",
    },
  },
  "docs/versions.md": {},
};
