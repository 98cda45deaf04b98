import assert from "node:assert/strict";
import { renderOsconfig } from "../../config/osconfig/osconfig_file.ts";
import type { RunningCluster } from "../../simulator/cluster/cluster.ts";
import { withCluster } from "../_cluster.ts";
import { needs } from "../_needs.ts";
import { type Terminal, withTerminal } from "../e2e/_terminal.ts";

/** Nodes boot, and waits for what must not come take a minute each. */
export const longestSeconds = 180;

const root = new URL("../../", import.meta.url).pathname;
const main =
  `'${Deno.execPath()}' run -A --no-check --quiet -c '${root}deno.json' '${root}mod.ts'`;

/** A client configuration with two contexts: of the cluster, and of one that does not answer. */
async function osconfig(
  { name, endpoints, nodes, adminIdentity }: RunningCluster,
  current = name,
): Promise<string> {
  const base64 = (pem: string) => new TextEncoder().encode(pem).toBase64();
  const { ca, crt, key } = adminIdentity;
  const identity = { ca: base64(ca), crt: base64(crt), key: base64(key) };
  const own = nodes.map(({ identity }) => identity.address);
  return await renderOsconfig({
    current,
    contexts: new Map([
      [name, { endpoints, nodes: own, ...identity }],
      ["other", { endpoints: ["127.0.0.1:1"], nodes: own, ...identity }],
    ]),
  });
}

/** Runs a test in the shell of a user of a cluster with a control plane and a worker. */
async function withShell(
  test: (
    terminal: Terminal,
    cluster: RunningCluster,
    home: string,
  ) => Promise<void>,
): Promise<void> {
  const home = await Deno.makeTempDir();
  try {
    await withCluster({ workers: 1 }, async (cluster) => {
      await Deno.writeTextFile(`${home}/osconfig`, await osconfig(cluster));
      await Deno.writeTextFile(
        `${home}/editor.sh`,
        `sed -i "s/^machine:/machine:\\n    sysctls:\\n        a: '1'/" "$1"\n`,
      );
      const env = {
        PATH: Deno.env.get("PATH") ?? "",
        DENO_DIR: Deno.env.get("DENO_DIR") ??
          `${Deno.env.get("HOME")}/.cache/deno`,
        HOME: home,
        // Edits that are kept go with the folder.
        TMPDIR: home,
        // Written when the shell ends, which may be after the folder is removed.
        HISTFILE: "",
        OSCONFIG: `${home}/osconfig`,
        EDITOR: `sh '${home}/editor.sh'`,
        PS1: "$ ",
      };
      await withTerminal(
        ["bash", "--norc"],
        env,
        (terminal) => test(terminal, cluster, home),
        { columns: 120, rows: 30 },
      );
    });
  } finally {
    await Deno.remove(home, { recursive: true });
  }
}

/** What a command has printed, once it has ended. */
function after(command: string): RegExp {
  return new RegExp(`^\\$ osctl ${command}[^]*^Press any key to return`, "m");
}

Deno.test({
  name:
    "actions of the dashboard run commands with their guards, prompts and journal, and come back to it",
  ...needs("tmux"),
  async fn() {
    await withShell(async ({ type, shows, asks }, cluster, home) => {
      const [controlplane, worker] = cluster.nodes;
      const [leader, node] = [controlplane, worker].map((one) =>
        one!.identity.address
      );
      await type(`${main} dashboard -d 500ms; echo status $?`, "Enter");
      await shows(/^simulated 2 nodes: 2 ready$/m);

      // Commands act on the cluster on the screen, whichever becomes the current one.
      await Deno.writeTextFile(
        `${home}/osconfig`,
        await osconfig(cluster, "other"),
      );

      // The worker reboots, and the operation is in the journal of this machine.
      await type("/", "worker", "Enter", "R");
      await shows(
        new RegExp(
          `^:reboot_ {2}Enter runs it on simulated-worker-1 \\(${node}\\)$`,
          "m",
        ),
      );
      const before = worker!.boot.id;
      await type("Enter");
      const done = await shows(after(`reboot --nodes ${node}`));
      assert.match(done, new RegExp(`^${node} +done`, "m"));
      assert.equal(await asks("#{alternate_on}"), "0");
      assert.notEqual(worker!.boot.id, before);
      const journal = await Array.fromAsync(
        Deno.readDir(`${home}/.os/operations`),
      );
      assert.equal(journal.length, 1);
      await type("x");
      await shows(new RegExp(`^osctl reboot --nodes ${node}: done$`, "m"));
      assert.equal(await asks("#{alternate_on}"), "1");

      // Nothing needs to be read after a cordon, so no key is needed to come back.
      await type("c", "Enter");
      await shows(new RegExp(`^osctl node cordon --nodes ${node}: done$`, "m"));
      assert.equal(await asks("#{alternate_on}"), "1");
      await type("u", "Enter");
      await shows(
        new RegExp(`^osctl node uncordon --nodes ${node}: done$`, "m"),
      );

      // The only member of etcd is not disturbed.
      await type("Escape", "/", "control", "Enter", "R");
      await shows(new RegExp(`Enter runs it on .*\\(${leader}\\)$`, "m"));
      await type("Enter");
      assert.match(
        await shows(after(`reboot --nodes ${leader}`)),
        /single-member-downtime/,
      );
      await type("x");
      await shows(
        new RegExp(
          `^osctl reboot --nodes ${leader}: refused \\(status 5\\)$`,
          "m",
        ),
      );

      // The diff of an edit is shown, and nothing is sent without a yes; the prompt gets what is typed.
      await type("e", "Enter");
      await shows(/^\+ +a: "1"$[^]*^Send this change to 1 node\? \(y\/N\):$/m);
      await type("n", "Enter");
      assert.match(await shows(after("edit")), /not confirmed/);
      await type("x");
      await shows(/^osctl edit --diff --nodes \S+: refused \(status 5\)$/m);

      // An interrupt ends the command, not the dashboard.
      await type(":", "logs kubelet --follow", "Enter");
      await shows(/kubelet/);
      await shows(/\$ osctl logs kubelet --follow --nodes/);
      await type("C-c");
      await shows(after("logs"));
      await type("C-c");
      await shows(/: interrupted \(status 130\)$/m);

      await type("9", "j");
      await shows(/^SERVICE /m);
      await type(":", "service kubelet restart", "Enter");
      assert.match(
        await shows(after("service")),
        /Running: Health check successful/,
      );
      await type("x");
      await shows(/^osctl service kubelet restart --nodes \S+: done$/m);
      // Now it ends the dashboard again.
      await type("C-c");
      await shows(/^status 130$/m);
    });
  },
});

Deno.test({
  name:
    "a dashboard that is read-only, or whose certificate is a reader's, runs no command",
  ...needs("tmux"),
  async fn() {
    await withShell(async ({ type, shows }, cluster) => {
      const node = cluster.nodes[0]!.identity.address;
      await type(`${main} dashboard --read-only; echo status $?`, "Enter");
      await shows(/^simulated read-only 2 nodes: 2 ready$/m);
      await shows(/^\? keys .*read-only/m);
      await type("R");
      await shows(
        /^The dashboard is read-only: it was started with --read-only$/m,
      );
      await type(":", "reboot", "Enter");
      await shows(/^The dashboard is read-only: it was started/m);
      await type("q");
      await shows(/^status 0$/m);

      await type(
        `clear; ${main} config new -n ${node} --roles os:reader $HOME/reader; OSCONFIG=$HOME/reader ${main} dashboard -n @all`,
        "Enter",
      );
      await shows(/^reader@simulated read-only 2 nodes: 2 ready$/m);
      await type("R");
      await shows(
        /^The dashboard is read-only: the client certificate has the role os:reader$/m,
      );
      await type("?");
      await shows(/^No actions: .*os:reader$/m);
      await type("q");
    });
  },
});
