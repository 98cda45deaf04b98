/** Takes the screenshots in `docs/pictures/`: osctl in a terminal, on a simulated cluster. */

interface Picture {
  /** Name of the file, without `.svg`. */
  readonly name: string;
  readonly line: string;
  /** Screen content to wait for, and the key to press then. */
  readonly press?: readonly [shows: RegExp, key: string];
  /** Screen content to wait for before the picture is taken. */
  readonly shows: RegExp;
  /** Lines where the picture begins and before which it ends; default all. */
  readonly part?: readonly [from: RegExp, to: RegExp];
  /** Size of the screen; default {@linkcode usualSize}. */
  readonly size?: PictureSize;
}

interface PictureSize {
  readonly columns: number;
  readonly rows: number;
}

/** The pictures, in order. */
export const pictures: readonly Picture[] = [
  {
    name: "dashboard",
    line: "osctl dashboard",
    press: [/[▁-█]{8} .*[▁-█]{8}/, "R"],
    shows: /Enter runs it on/,
    size: { columns: 100, rows: 14 },
  },
  {
    name: "services",
    line: "osctl get services --nodes @workers",
    shows: /udevd(.|\n)*\n\$ $/,
  },
  {
    name: "diff",
    line: "osctl patch --nodes lab-worker-1 --patch @labels.yaml --dry-run",
    shows: /rack(.|\n)*\n\$ $/,
  },
  {
    name: "check",
    line: "osctl runbook check wrong.runbook.yaml",
    shows: /not valid(.|\n)*\n\$ $/,
  },
  {
    name: "run",
    line:
      "osctl runbook run builtin:rolling-upgrade --input version=v1.12.12 --input soak=2s --yes",
    shows: /3 of 5 nodes(.|\n)* rebooting/,
  },
  {
    name: "demo",
    line: "demo",
    shows: /All as expected/,
    part: [/^# Which version/, /^# Is the cluster healthy/],
    size: { columns: 80, rows: 140 },
  },
];

const files: Readonly<Record<string, string>> = {
  "labels.yaml": `machine:
  nodeLabels:
    example.com/rack: "7"
  sysctls:
    vm.max_map_count: "524288"
`,
  "wrong.runbook.yaml": `apiVersion: osctl/v1
kind: Runbook
name: restart
title: Restart workers
groups:
  workers: { role: wroker }
steps:
  - id: restart
    forEach: { nodes: workers, strategy: { batch: 1 } }
    steps:
      - { id: reboot, run: node.rebot }
      - { id: back, gate: [node.ready], within: 10 minutes }
`,
};

const usualSize: PictureSize = { columns: 100, rows: 34 };

interface PictureSpan {
  /** First column, from 0. */
  readonly column: number;
  readonly text: string;
  /** Styles: `green`, `bold`. */
  readonly looks: readonly string[];
}

const looks: Readonly<Record<number, string>> = {
  1: "bold",
  2: "dim",
  4: "underline",
  7: "reverse",
  31: "red",
  32: "green",
  33: "yellow",
  34: "blue",
  35: "magenta",
  36: "cyan",
  90: "dim",
};

/** Fixed colors of the dashboard: the selected row has its own background. */
const fixed: Readonly<Record<string, string>> = {
  "38;5;231": "39;7",
  "48;5;24": "7",
  "38;5;245": "2",
};

const colors = ["red", "green", "yellow", "blue", "magenta", "cyan"];

const ends: Readonly<Record<number, readonly string[]>> = {
  0: Object.values(looks),
  22: ["bold", "dim"],
  24: ["underline"],
  27: ["reverse"],
  39: [...colors, "dim", "reverse"],
  49: ["reverse"],
};

/**
 * Splits terminal lines into spans; a style continues in the next line until a code resets it.
 *
 * @param text Lines with color codes.
 * @throws {RangeError} If a code is not readable on both light and dark backgrounds.
 */
export function parseSpans(text: string): readonly (readonly PictureSpan[])[] {
  let current: ReadonlySet<string> = new Set();
  return text.split("\n").map((line) => {
    const spans: PictureSpan[] = [];
    let column = 0;
    // deno-lint-ignore no-control-regex
    for (const [all, codes] of line.matchAll(/\x1b\[([\d;]*)m|[^\x1b]+/g)) {
      if (codes === undefined) {
        spans.push({ column, text: all.trimEnd(), looks: [...current] });
        column += [...all].length;
      } else {
        current = (fixed[codes] ?? codes).split(";").map(Number)
          .reduce(withCode, current);
      }
    }
    return spans.filter(({ text }) => text !== "");
  });
}

function withCode(
  current: ReadonlySet<string>,
  code: number,
): ReadonlySet<string> {
  const look = looks[code];
  if (look !== undefined) return new Set([...current, look]);
  const ended = ends[code];
  if (ended !== undefined) return current.difference(new Set(ended));
  throw new RangeError(`Code ${code} is no color of a theme`);
}

/** Renders terminal output as SVG that follows the reader's theme. */
export function drawSvg(text: string, { columns } = usualSize): string {
  const lines = parseSpans(text);
  const [width, height] = [columns * 8.4 + 32, lines.length * 19 + 32];
  const texts = lines.flatMap((spans, index) => {
    if (spans.length === 0) return [];
    const grounds = spans.filter(({ looks }) => looks.includes("reverse"))
      .map(({ column, text }) =>
        `<rect class="ground" x="${(column * 8.4).toFixed(1)}" y="${
          index * 19 + 5
        }" width="${([...text].length * 8.4).toFixed(1)}" height="19"/>`
      );
    const parts = spans.map(({ column, text, looks }) => {
      const style = looks.length === 0 ? "" : ` class="${looks.join(" ")}"`;
      const length = ([...text].length * 8.4).toFixed(1);
      return `<tspan x="${
        (column * 8.4).toFixed(1)
      }" textLength="${length}"${style}>${escapeXml(text)}</tspan>`;
    });
    return [
      ...grounds,
      `<text y="${(index + 1) * 19}">${parts.join("")}</text>`,
    ];
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" xml:space="preserve" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<style>
.screen { fill: #fbfbfb; stroke: #ccc }
text { font: 14px ui-monospace, Menlo, Consolas, monospace; fill: #222; white-space: pre }
.bold { font-weight: bold } .dim { fill-opacity: 0.6 } .underline { text-decoration: underline } .ground { fill: #005f87; stroke: none }
.red { fill: #b3261e } .green { fill: #1a7f37 } .yellow { fill: #8a5a00 } .blue { fill: #0550ae } .magenta { fill: #8250df } .cyan { fill: #0a6e7c }
@media (prefers-color-scheme: dark) {
  .screen { fill: #16181d; stroke: #333 }
  text { fill: #ddd }
  .red { fill: #ff7b72 } .green { fill: #56d364 } .yellow { fill: #e3b341 } .blue { fill: #79c0ff } .magenta { fill: #d2a8ff } .cyan { fill: #56d4dd }
}
.reverse { fill: #fff }
</style>
<rect class="screen" x="0.5" y="0.5" width="${width - 1}" height="${
    height - 1
  }" rx="6"/>
<g transform="translate(16 12)">
${texts.join("\n")}
</g>
</svg>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

/** Takes the pictures of these names, all without any; requires `tmux`. */
async function takeAll(folder: URL, names: readonly string[]): Promise<void> {
  const home = await Deno.makeTempDir();
  const main = new URL("../../mod.ts", import.meta.url).pathname;
  const program = `${home}/bin/osctl`;
  await Deno.mkdir(`${home}/bin`);
  await Deno.writeTextFile(
    program,
    `#!/bin/sh\nexec '${Deno.execPath()}' run -A --no-check '${main}' "$@"\n`,
    { mode: 0o755 },
  );
  const demo = new URL("../demo.ts", import.meta.url).pathname;
  await Deno.writeTextFile(
    `${home}/bin/demo`,
    `#!/bin/sh\nexec '${Deno.execPath()}' run -A --no-check '${demo}'\n`,
    { mode: 0o755 },
  );
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(`${home}/${name}`, text);
  }
  const { HOME, ...others } = Deno.env.toObject();
  const env = {
    ...others,
    DENO_DIR: others["DENO_DIR"] ?? `${HOME}/.cache/deno`,
    HOME: home,
    PATH: `${home}/bin:${others["PATH"]}`,
    PS1: "$ ",
    TERM: "xterm-256color",
    USER: "ops",
  };
  const call = async (command: string, ...args: string[]) => {
    const { success, stdout, stderr } = await new Deno.Command(command, {
      args,
      env,
      cwd: home,
      clearEnv: true,
    }).output();
    if (success) return new TextDecoder().decode(stdout);
    throw new Error(`${command}: ${new TextDecoder().decode(stderr)}`);
  };
  const cluster = ["--name", "lab"];
  try {
    await call(
      program,
      ...["cluster", "create", "embedded", ...cluster, "--etcd", "model"],
      ...["--controlplanes", "3", "--workers", "2"],
    );
    await Deno.mkdir(folder, { recursive: true });
    const wanted = pictures.filter(({ name }) =>
      names.length === 0 || names.includes(name)
    );
    for (const picture of wanted) {
      const screen = await take(picture, call, home);
      const path = new URL(`${picture.name}.svg`, folder);
      await Deno.writeTextFile(path, drawSvg(screen, picture.size));
    }
  } finally {
    await call(program, "cluster", "destroy", ...cluster, "--force");
    await Deno.remove(home, { recursive: true });
  }
}

/** Runs a command line in a separate terminal, and returns its screen. */
async function take(
  { name, line, press, shows, part, size = usualSize }: Picture,
  call: (command: string, ...args: string[]) => Promise<string>,
  home: string,
): Promise<string> {
  const tmux = (...args: string[]) =>
    call(
      "tmux",
      "-L",
      `picture-${name}-${Deno.pid}`,
      "-f",
      "/dev/null",
      ...args,
    );
  await tmux(
    ...["new-session", "-d", "-x", `${size.columns}`, "-y", `${size.rows}`],
    ...["-c", home, "bash", "--norc", "--noprofile"],
  );
  try {
    await tmux("send-keys", "-l", "--", line);
    await tmux("send-keys", "Enter");
    const until = async (wanted: RegExp) => {
      const deadline = performance.now() + 180_000;
      let plain = "";
      while (performance.now() < deadline) {
        plain = await tmux("capture-pane", "-p");
        if (wanted.test(`${plain.trimEnd()} `)) return;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error(`${name}: the screen never showed ${wanted}:\n${plain}`);
    };
    if (press !== undefined) {
      await until(press[0]);
      await tmux("send-keys", press[1]);
    }
    await until(shows);
    const screen = await tmux("capture-pane", "-e", "-p");
    const text = part === undefined ? screen : between(screen, part);
    // Without the next prompt.
    return text.replaceAll(home, "~").trimEnd().replace(/\n\$$/, "")
      .trimEnd();
  } finally {
    await tmux("kill-server");
  }
}

function between(screen: string, [from, to]: readonly [RegExp, RegExp]) {
  const lines = screen.split("\n");
  // deno-lint-ignore no-control-regex
  const plain = lines.map((line) => line.replaceAll(/\x1b\[[\d;]*m/g, ""));
  const [begin, end] = [from, to].map((wanted) =>
    plain.findIndex((line) => wanted.test(line))
  );
  return lines.slice(begin, end).join("\n");
}

if (import.meta.main) {
  await takeAll(new URL("../../docs/pictures/", import.meta.url), Deno.args);
}
