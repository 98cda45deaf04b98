import assert from "node:assert/strict";
import { renderOsconfig } from "../../config/osconfig/osconfig_file.ts";
import { logLine } from "../../simulator/node/logs.ts";
import type { RunningCluster } from "../../simulator/cluster/cluster.ts";
import { withCluster } from "../_cluster.ts";
import { needs } from "../_needs.ts";
import { run } from "../_run.ts";
import { keyMap } from "../../workflows/dashboard/key_map.ts";
import { pages } from "../../workflows/dashboard/pages/all.ts";
import { type Terminal, withTerminal } from "../e2e/_terminal.ts";

/** Waits for what must not come take a minute each. */
export const longestSeconds = 180;

const root = new URL("../../", import.meta.url).pathname;
const main =
  `'${Deno.execPath()}' run -A --no-check --quiet -c '${root}deno.json' '${root}mod.ts'`;

async function writeOsconfig(cluster: RunningCluster): Promise<string> {
  const base64 = (pem: string) => new TextEncoder().encode(pem).toBase64();
  const { ca, crt, key } = cluster.adminIdentity;
  return await renderOsconfig({
    current: cluster.name,
    contexts: new Map([[cluster.name, {
      endpoints: cluster.endpoints,
      nodes: cluster.nodes.slice(0, 2).map(({ identity }) => identity.address),
      ca: base64(ca),
      crt: base64(crt),
      key: base64(key),
    }]]),
  });
}

/** Modes of a terminal, which what has run in it must not change. */
const modes =
  "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{mouse_sgr_flag} #{wrap_flag}";

const clean = "0 1 0 0 1";

/** Waits until the shell is back, and makes sure that it finds the terminal as it was. */
async function endsWith(
  { shows, asks, type }: Terminal,
  status: number,
): Promise<void> {
  await shows(new RegExp(`^status ${status}$`, "m"));
  assert.equal(await asks(modes), clean);
  await type("stty -a | tr ' ' '\\n' | grep -cx -e icanon -e echo", "Enter");
  await shows(/^2$/m);
  await type("clear", "Enter");
}

const shownPages: Readonly<Record<string, RegExp>> = {
  F1: /STAGE +running/,
  F2: /^PID .*COMMAND$/m,
  F3: /^kernel \| /m,
  F4: /^NODE +HOSTNAME/m,
  F5: /^Leader /m,
  F6: /^No runbook has run/m,
  F7: /^TYPE\b.*\nAPIServerConfig\b/m,
  F8: /^HOST /m,
  F9: /^SERVICE +STATE/m,
  F10: /^(?:POD +)?CONTAINER/m,
};

/** A page with its name below it. */
function pageAt(number: number): RegExp {
  const key = `F${number}`;
  const { name } = pages[number - 1]!; // a test names one there is
  return new RegExp(
    `${shownPages[key]?.source}[^]*^\\? keys .*\\n.*\\b${name}\\b.*\\n$`,
    "m",
  );
}

/** A log with the row of a number at its top; row 0 is what the service said when it started. */
function rowAt(number: number, below = "? keys"): RegExp {
  const row = number === 0
    ? "apid .* listening on .*"
    : `row ${`${number}`.padStart(3, "0")}`;
  const start = below.replace("?", "\\?");
  return new RegExp(`^.*\\n.*\\n${row}\\n[^]*\\n${start}.*\\n.*\\n$`);
}

/** Any of the 16 colors of a terminal, as tmux writes them. */
// deno-lint-ignore no-control-regex
const colored = /\x1b\[(?:[\d;]*;)?(?:3[1-7]|9[0-7])m/;

const [first, second] = [/^\S+ \S+ 1\/2 /, /^\S+ \S+ 2\/2 /];

/**
 * Every key, and what the terminal of 100 by 30 shows after it and did not show before. It begins on the last page of
 * the first node, whose apid has said 100 rows; 26 of them fit, and half of that are 13.
 */
const journey: readonly (readonly [key: string, shown: RegExp])[] = [
  ...pages.map((_, i) => [`f${i + 1}`, pageAt(i + 1)] as const),
  ...pages.map((_, i) => [`${(i + 1) % 10}`, pageAt(i + 1)] as const),
  ["tab", pageAt(1)],
  ["shift-tab", pageAt(10)],
  ["right", second],
  ["left", first],
  ["3", rowAt(75)],
  ["g", rowAt(0)],
  ["j", rowAt(1)],
  ["down", rowAt(2)],
  ["k", rowAt(1)],
  ["up", rowAt(0)],
  ["ctrl-d", rowAt(13)],
  ["ctrl-u", rowAt(0)],
  ["ctrl-f", rowAt(26)],
  ["ctrl-b", rowAt(0)],
  ["page-down", rowAt(26)],
  ["page-up", rowAt(0)],
  ["wheel-down", rowAt(3)],
  ["wheel-up", rowAt(0)],
  ["end", rowAt(75)],
  ["home", rowAt(0)],
  ["G", rowAt(75)],
  ["f", /^kernel \| .* {2}f follows\nrow 075\n/m],
  ["f", /^kernel \| .* {2}following\nrow 075\n/m],
  ["w", /^\? keys .* w no wrap /m],
  ["t", /^\? keys .* t times /m],
  ["w", /^\? keys .* w wrap /m],
  ["t", /^\? keys .* t no times /m],
  ["]", /^type=1403 audit\(/m],
  ["[", rowAt(75)],
  ["/", /\n\/_\n.*\n$/],
  ["5", /\n\/5_\n.*\n$/],
  ["7", /\n\/57_\n.*\n$/],
  ["backspace", /\n\/5_\n.*\n$/],
  // Behind the first row on the screen, in the middle, and around the end.
  ["enter", rowAt(62, "/5 ")],
  ["n", rowAt(72, "/5 ")],
  ["n", rowAt(75, "/5 ")],
  ["n", rowAt(0, "/5 ")],
  ["N", rowAt(75, "/5 ")],
  ["esc", rowAt(75)],
  ["/", /\n\/_\n.*\n$/],
  ["esc", rowAt(75)],
  ["7", pageAt(7)],
  ["enter", /^ID +VERSION\b/m],
  ["backspace", pageAt(7)],
  ["esc", pageAt(4)],
  [">", /^NODE↑ +HOSTNAME/m],
  ["-", /^NODE↓ +HOSTNAME/m],
  ["<", pageAt(4)],
  ["l", rowAt(75)],
  ["esc", pageAt(4)],
  ["y", /^ {4}stage: running$/m],
  ["esc", pageAt(4)],
  ["d", pageAt(1)],
  ["esc", pageAt(4)],
  ["ctrl-r", /^All data is requested again$/m],
  ["space", /^simulated 2 nodes: 2 ready {2}1 marked$/m],
  ["esc", /^simulated 2 nodes: 2 ready$/m],
  [":", /\n:_ .*\n.*\n$/],
  ["esc", pageAt(4)],
  ["enter", pageAt(1)],
  ["?", /^k, Up +up$/m],
  ["?", pageAt(1)],
];

/** Keys that tmux or the terminal names otherwise. */
const typed: Readonly<Record<string, string>> = {
  tab: "Tab",
  space: " ",
  "shift-tab": "BTab",
  enter: "Enter",
  esc: "Escape",
  backspace: "BSpace",
  "page-up": "PPage",
  "page-down": "NPage",
  "wheel-up": "\x1b[<64;10;10M",
  "wheel-down": "\x1b[<65;10;10M",
};

/** A key as {@linkcode Terminal.type} takes it. */
function typeKey(key: string): string {
  return typed[key] ?? key.replace(/^ctrl-/, "C-")
    .replace(
      /^(up|down|left|right|home|end|f\d+)$/,
      (name) => name.replace(/^./, (first) => first.toUpperCase()),
    );
}

Deno.test("every key of the dashboard is typed on the journey through its pages", () => {
  const declared = [...keyMap, ...pages].flatMap(({ keys }) => keys);
  assert.deepEqual(
    new Set([...journey.map(([key]) => key), "q"]),
    new Set(declared),
  );
});

Deno.test({
  name:
    "the dashboard shows every page at every size, brings back nodes by itself, and leaves the terminal clean",
  ...needs("tmux", "pkill"),
  async fn() {
    const home = await Deno.makeTempDir();
    const unconfigured = (index: number) => index === 2;
    await withCluster({ workers: 2, unconfigured }, async (cluster) => {
      const [controlplane, worker, fresh] = cluster.nodes;
      const node = worker!.identity.address;
      await Deno.writeTextFile(
        `${home}/osconfig`,
        await writeOsconfig(cluster),
      );
      const env = {
        PATH: Deno.env.get("PATH") ?? "",
        DENO_DIR: Deno.env.get("DENO_DIR") ??
          `${Deno.env.get("HOME")}/.cache/deno`,
        HOME: home,
        OSCONFIG: `${home}/osconfig`,
        NO_COLOR: "", // the colors themselves are looked at
        PS1: "$ ",
      };
      const shell = ["bash", "--norc"];
      const start = `${main} dashboard -d 500ms; echo status $?`;
      await withTerminal(shell, env, async (terminal) => {
        const { type, shows, resize, asks, captures } = terminal;
        await type(start, "Enter");
        await shows(/^simulated 2 nodes: 2 ready$/m);
        assert.equal((await asks(modes)).slice(0, 1), "1");

        // A node that goes down is the worst, and comes back by itself.
        await cluster.setFault(node, "unavailable");
        assert.match(
          await shows(/1 down, 1 ready/),
          new RegExp(`^NODE.*\\n${node} .* down `, "m"),
        );
        await cluster.setFault(node, "unavailable", false);
        await shows(/^simulated 2 nodes: 2 ready$/m);

        // A node that reboots while it is looked at.
        await type("/", "worker", "Enter", "Enter");
        await shows(/HOST +simulated-worker-1/);
        await type("F3");
        await shows(/kernel \| apid.*following/);
        // High enough for all of it.
        await resize({ columns: 100, rows: 250 });
        const rebooted = cluster.reboot(node);
        await shows(/--- node rebooted ---/);
        await rebooted;
        await shows(
          /^simulated simulated-worker-1 2\/2 \(v[\d.]+\): uptime \d+s/m,
        );
        logLine(worker!, "apid", "said after the reboot");
        await type("]");
        await shows(/^said after the reboot$/m);
        await type("Left");
        await shows(/^simulated simulated-controlplane-1 /m);

        for (
          const size of [
            { columns: 80, rows: 24 },
            { columns: 120, rows: 40 },
            { columns: 200, rows: 60 },
            { columns: 40, rows: 15 },
          ]
        ) {
          await resize(size);
          for (const [key, page] of Object.entries(shownPages)) {
            await type(key);
            // On few rows the processes are below the edge.
            const isSmall = key === "F2" && size.rows < 24;
            const { source } = isSmall ? /^CPU \[/ : page;
            const { name } = pages[Number(key.slice(1)) - 1]!; // as above
            const screen = await shows(
              new RegExp(`${source}[^]*\\b${name}\\b.*\\n$`, "m"),
            );
            // A line for each row, the footer in the last.
            const lines = screen.split("\n").slice(0, -1);
            assert.equal(lines.length, size.rows, `${key} at ${size.columns}`);
          }
        }
        await type("F4", "Escape", "g", "F8");
        // One line of ten characters for each of three rows.
        await resize({ columns: 10, rows: 3 });
        await shows(/^.{1,10}\n.{1,10}\nF8 Network\n$/);
        for (let row = 1; row <= 100; row++) {
          logLine(controlplane!, "apid", `row ${`${row}`.padStart(3, "0")}`);
        }
        await resize({ columns: 100, rows: 30 });
        let before = await shows(pageAt(8));
        // Good states are green once they are known.
        await shows(/CONNECTIVITY OK/);
        assert.match(await captures("-e"), colored);
        for (const [key, expected] of journey) {
          assert.doesNotMatch(before, expected, `before ${key}`);
          await type(typeKey(key));
          before = await shows(expected);
        }
        await type("7");
        // Nothing is found or opened before the types are there.
        await shows(pageAt(7));
        await type("/", "linkstatus", "Enter", "Enter");
        await shows(/^eth0 /m);
        await type("Enter");
        await shows(/^ {4}operationalState: up$/m);
        await type("F3");
        await shows(/^kernel \| /m);

        // Suspended, the shell is there; in the foreground again, the page is.
        await type("C-z");
        await shows(/Stopped/);
        assert.equal(await asks(modes), clean);
        await type("fg", "Enter");
        await shows(/^kernel \| /m);
        await type("q");
        await shows(/^\$ fg$/m);
        await type("echo status $?", "Enter");
        await endsWith(terminal, 0);

        // It starts with whatever answers. However it ends, the terminal is as before.
        await cluster.setFault(node, "unavailable");
        for (const [signal, status] of [["TERM", 143], ["HUP", 143]] as const) {
          await type(start, "Enter");
          await shows(/^simulated 2 nodes: 1 down, 1 ready$/m);
          const pid = await asks("#{pane_pid}");
          await new Deno.Command("pkill", { args: [`-${signal}`, "-P", pid] })
            .output();
          await endsWith(terminal, status);
        }
        // A node without a configuration has a network, and no certificate that could be checked.
        const bare = cluster.listening.get(fresh!.identity.address);
        await type(
          `NO_COLOR=1 ${main} dashboard -i -n ${bare}; echo status $?`,
          "Enter",
        );
        await shows(
          /CONNECTIVITY OK[^]*^eth0[^]*osctl apply-config --insecure/m,
        );
        assert.doesNotMatch(await captures("-e"), colored);
        await type("C-c");
        await endsWith(terminal, 130);
        for (const how of ["timer", "promise"]) {
          const script = `${root}tests/commands/_crashing_screen.ts`;
          await type(
            `'${Deno.execPath()}' run -A --no-check --quiet -c '${root}deno.json' '${script}' ${how}; echo status $?`,
            "Enter",
          );
          await shows(/^shown$/m);
          await type("x");
          await endsWith(terminal, 1);
        }
      }, { columns: 100, rows: 30 });
    });
    await Deno.remove(home, { recursive: true });
  },
});

Deno.test("the dashboard needs a terminal, and an interval that nodes can bear", async () => {
  const none = await run("dashboard -n a");
  assert.equal(none.status, 2);
  assert.match(
    none.err,
    /^error: Cannot show the dashboard: there is no terminal to draw on\nhint: /,
  );
  const often = await run("dashboard -n a -d 10ms");
  assert.equal(often.status, 2);
  assert.match(
    often.err,
    /^error: Invalid value "10ms" for --update-interval: must be at least 100ms\n/,
  );
});
