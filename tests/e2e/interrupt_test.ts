import assert from "node:assert/strict";
import { pause } from "../../lib/pause.ts";
import { linux, needs, posix } from "../_needs.ts";
import { start, withHome } from "../_osctl.ts";
import { withWire } from "../_wire.ts";
import { type Terminal, withTerminal } from "./_terminal.ts";

const main = new URL("../../mod.ts", import.meta.url).pathname;

/** The shell is back: what is typed before that goes to the program that is about to end. */
const prompted = /--watch\n>\s*$/;

/** A shell in a terminal, with a cluster, and with osctl as a function. */
async function withShell(test: (terminal: Terminal) => Promise<void>) {
  await withHome(async ({ osctl, env }) => {
    await osctl(
      "cluster create embedded --controlplanes 1 --workers 1 --os-version v1.14",
    );
    await withTerminal(["bash", "--norc"], env, async (terminal) => {
      await terminal.type(
        `PS1='> '; osctl() { '${Deno.execPath()}' run -A --quiet '${main}' "$@"; }; clear; echo ready`,
        "Enter",
      );
      await terminal.shows(/^ready/m);
      await test(terminal);
    });
  });
}

Deno.test({
  name: "Ctrl-C ends a stream with 130 and leaves the terminal as it was",
  ...needs("tmux"),
  async fn() {
    await withShell(async ({ type, shows }) => {
      await type("osctl dmesg --follow", "Enter");
      await shows(/boot sequence: done/);
      await type("C-c");
      await type("echo status $?; stty -a | grep -o ' echo '", "Enter");
      await shows(/^status 130\n echo/m);
    });
  },
});

Deno.test({
  name: "processes --watch takes the whole screen and gives it back",
  ...needs("tmux"),
  async fn() {
    await withShell(async ({ type, shows }) => {
      await type("osctl processes --watch", "Enter");
      await shows(/LABEL[^]*init_t/);
      await type("C-c");
      await shows(prompted);
      await type("echo status $?; stty -a | grep -o ' echo '", "Enter");
      await shows(/^status 130\n echo/m);
      await type("osctl processes --watch", "Enter");
      await shows(/LABEL[^]*init_t/);
      await type("q");
      await shows(prompted);
      await type("echo status $?", "Enter");
      await shows(/^status 0/m);
    });
  },
});

Deno.test({
  name: "debug hands the terminal to the container, and takes it back",
  ...needs("tmux"),
  async fn() {
    await withShell(async ({ type, shows, resize }) => {
      await type("osctl debug alpine:3 --args sh", "Enter");
      await shows(/-1 #$/m);
      await type("stty size", "Enter");
      await shows(/^30 100$/m);
      await resize({ columns: 90, rows: 25 });
      await type("stty size", "Enter");
      await shows(/^25 90$/m);
      await type("half a line", "C-c");
      await shows(/half a line\^C\n/);
      await type("exit 7", "Enter");
      await shows(/error: The container exited with status 7\n>/);
      await type(
        "echo status $?; stty -a | grep -o 'isig icanon iexten echo '",
        "Enter",
      );
      await shows(/^status 1\nisig icanon iexten echo/m);
    });
  },
});

Deno.test({
  name: "SIGINT ends a command that computes at once",
  ...needs(posix),
  async fn() {
    await withHome(async ({ path, env }) => {
      // Seconds of work, which cannot be seen to begin: the program is amid of it, or about to be.
      const text = (letter: string) =>
        "version: v1alpha1\nmachine:\n  type: worker\n  sysctls:\n" +
        Array.from({ length: 150_000 }, (_, i) => `    ${letter}${i}: "1"\n`)
          .join("");
      await new Deno.Command("mkfifo", { args: [`${path}/old`] }).output();
      await Deno.writeTextFile(`${path}/new`, text("b"));
      const child = start(
        { env },
        `machineconfig diff ${path}/old ${path}/new`,
      );
      await Deno.writeTextFile(`${path}/old`, text("a"), { create: false });
      child.kill("SIGINT");
      const { code, signal } = await child.output();
      assert.deepEqual({ code, signal }, { code: 130, signal: "SIGINT" });
    });
  },
});

Deno.test({
  name: "SIGINT ends a command that waits for a client configuration in a pipe",
  ...needs(posix),
  async fn() {
    await withHome(async ({ path, env }) => {
      const pipe = `${path}/pipe`;
      await new Deno.Command("mkfifo", { args: [pipe] }).output();
      for (
        const line of [`--osconfig ${pipe} version`, `config merge ${pipe}`]
      ) {
        const child = start({ env }, line);
        // It opens once the command has done so.
        using _ = await Deno.open(pipe, { write: true });
        child.kill("SIGINT");
        const { signal } = await child.output();
        assert.equal(signal, "SIGINT", line);
      }
    });
  },
});

/** Processor time of a process, in ticks of 10 ms: proc(5), utime behind the name in parentheses. */
async function readTicks({ pid }: Deno.ChildProcess): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[11]);
}

Deno.test({
  name:
    "SIGINT ends a command that has asked nodes, in the middle of what it computes for them",
  ...needs(linux),
  async fn() {
    await withWire({ workers: 9 }, async ({ cluster, names, osconfig }) => {
      const asked = Promise.withResolvers<void>();
      let versions = 0;
      for (const node of cluster.nodes) {
        node.cluster.onCall = ({ method }) => {
          if (method === "Version") versions++;
          if (versions === names.length) asked.resolve();
        };
      }
      const patch = `${osconfig}-patch`;
      const keys = Array.from({ length: 20_000 }, (_, i) => `    a${i}: "1"\n`);
      await Deno.writeTextFile(
        patch,
        `machine:\n  sysctls:\n${keys.join("")}`,
      );
      const env = { ...Deno.env.toObject(), OSCONFIG: osconfig };
      const child = start({ env }, `patch mc -p @${patch} --dry-run`);
      await asked.promise;
      // It takes more than a second to check ten configurations.
      const before = await readTicks(child);
      while (await readTicks(child) < before + 20) await pause(5);
      child.kill("SIGINT");
      const { code, stdout, stderr } = await child.output();
      assert.equal(code, 130, new TextDecoder().decode(stderr));
      assert.equal(stdout.length, 0);
    });
  },
});

Deno.test({
  name:
    "support that is interrupted leaves an archive that other programs read",
  ...needs(linux, "python3"),
  async fn() {
    await withWire({ workers: 1 }, async ({ cluster, names, osconfig }) => {
      const env = { ...Deno.env.toObject(), OSCONFIG: osconfig };
      for (
        const [signal, status] of [["SIGINT", 130], ["SIGTERM", 143]] as const
      ) {
        const reached = Promise.withResolvers<void>();
        for (const node of cluster.nodes) {
          node.cluster.onCall = ({ method }) => {
            if (method === "Logs") reached.resolve();
          };
        }
        const path = `${osconfig}-${signal}.zip`;
        const line = `support -O ${path} --nodes ${names.join(",")}`;
        const child = start({ env }, line);
        await reached.promise;
        child.kill(signal);
        const { code, stderr } = await child.output();
        assert.equal(code, status, new TextDecoder().decode(stderr));
        const unzip = async (...args: readonly string[]) => {
          const ran = await new Deno.Command("python3", {
            args: ["-m", "zipfile", ...args],
          }).output();
          const text = new TextDecoder().decode(ran.stdout);
          assert.equal(ran.code, 0, text);
          return text;
        };
        assert.match(await unzip("-t", path), /^Done testing/);
        const folder = `${path}-files`;
        await unzip("-e", path, folder);
        const manifest = JSON.parse(
          await Deno.readTextFile(`${folder}/manifest.json`),
        );
        assert.equal(manifest.interrupted, true);
        const [first = ""] = names;
        const size = (await Deno.stat(`${folder}/${first}/dmesg.log`)).size;
        assert.ok(size > 0);
      }
    });
  },
});
