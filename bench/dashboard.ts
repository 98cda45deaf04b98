/** Processor time and memory of `dashboard`. */

import { paintedLine } from "../terminal/screen_line.ts";
import { health, runFeeds, vitals } from "../workflows/dashboard/feeds/all.ts";
import { draw } from "../workflows/dashboard/frame.ts";
import { press } from "../workflows/dashboard/press.ts";
import type { Feed, Reading } from "../workflows/dashboard/feed.ts";
import {
  type DashboardContext,
  firstState,
  listNeeds,
} from "../workflows/dashboard/state.ts";
import type { Ignored, Measurement } from "../tools/bench.ts";
import { type Bench, withBench } from "./_bench.ts";

/** Duration of the measurement of a dashboard, in seconds. */
const seconds = 30;

/** Longest time until all nodes have answered, in seconds. */
const warmUp = 10;

/**
 * Measures a dashboard in a terminal of 120 by 40, of 10 nodes and of 100, with the default interval of 3 s; and a key
 * and a frame of 300 nodes.
 *
 * @returns Share of one core, and largest resident memory; of these nothing where there is no tmux.
 */
export async function run(): Promise<readonly (Measurement | Ignored)[]> {
  return [await measureFrame(), ...await measureTerminals()];
}

/** Frames over which one is averaged. */
const frames = 200;

/** Processor time of a key and the frame after it, with 300 nodes sorted by CPU in a terminal of 200 by 60. */
async function measureFrame(): Promise<Measurement> {
  const nodes = Array.from({ length: 300 }, (_, i) => `10.0.${i >> 8}.${i}`);
  const points = Array.from({ length: 20 }, (_, i) => i / 20);
  const readings = new Map(nodes.map((node, i) => [node, {
    [health.name]: {
      value: {
        stage: "running",
        ready: true,
        unmet: [],
        version: "v1.12.11",
        hostname: `worker-${i}`,
        role: "worker",
      },
    },
    [vitals.name]: {
      value: {
        processors: (i * 7 % 100) / 100,
        memory: 0.4,
        load: 1,
        series: { processors: points, memory: points },
        times: {},
      },
    },
  }]));
  const context: DashboardContext = {
    data: {
      of<T>(node: string, { name }: Feed<T>) {
        // Values of the feed with this name.
        return (readings.get(node)?.[name] ?? {}) as Reading<T>;
      },
    },
    runs: runFeeds("/nowhere"),
    commands: [],
    size: { columns: 200, rows: 60 },
    now: Date.now(),
  };
  const mask = (text: string) => text;
  let state = firstState(nodes);
  const type = (key: string) => {
    state = press(state, key, context) ?? state;
    listNeeds(state, context);
    for (const line of draw(state, context)) {
      paintedLine(line, { columns: 200, depth: 256, mask });
    }
  };
  for (const key of [":", ..."sort -cpu", "enter"]) type(key);
  for (let i = 0; i < frames; i++) type("j");
  const before = await processorSeconds("self");
  for (let i = 0; i < frames; i++) type("k");
  const used = await processorSeconds("self") - before;
  return {
    name: "dashboard, 300 nodes: a key and its frame",
    value: used / frames * 1_000,
    unit: "ms",
    budget: 16,
  };
}

async function measureTerminals(): Promise<
  readonly (Measurement | Ignored)[]
> {
  if (await tmux("none", ["-V"]) === "") {
    return [{ name: "dashboard", ignored: "tmux is not installed" }];
  }
  return [
    ...await withBench({ controlplanes: 3, workers: 7 }, async (bench) => [
      ...figures("dashboard, 10 nodes", await watch(bench, "F4"), 5),
      ...figures("dashboard, Monitor", await watch(bench, "F2"), 5),
    ]),
    ...await withBench(
      { controlplanes: 3, workers: 97 },
      async (bench) =>
        figures("dashboard, 100 nodes", await watch(bench, "F4")),
    ),
  ];
}

interface Watched {
  /** Share of one core, in percent. */
  readonly percent: number;
  /** Largest resident memory in MB. */
  readonly megabytes: number;
}

function figures(
  name: string,
  { percent, megabytes }: Watched,
  budget?: number,
): readonly Measurement[] {
  return [
    {
      name: `${name}: one core`,
      value: percent,
      unit: "%",
      budget,
    },
    { name: `${name}: memory`, value: megabytes, unit: "MB", budget: 120 },
  ];
}

/** Runs a dashboard in a terminal. `key`: key of the page. */
async function watch(
  { program, env }: Bench,
  key: string,
): Promise<Watched> {
  const socket = `osctl-bench-${crypto.randomUUID()}`;
  const pass = Object.entries(env).flatMap(([name, value]) => [
    "-e",
    `${name}=${value}`,
  ]);
  const size = ["-x", "120", "-y", "40"];
  const command = [program, "dashboard"];
  await tmux(socket, ["new-session", "-d", ...size, ...pass, ...command]);
  try {
    const pid = await tmux(socket, ["display-message", "-p", "#{pane_pid}"]);
    await sleep(warmUp / 2);
    await tmux(socket, ["send-keys", key]);
    await sleep(warmUp / 2);
    const before = await processorSeconds(pid);
    await sleep(seconds);
    const used = await processorSeconds(pid) - before;
    const status = await Deno.readTextFile(`/proc/${pid}/status`);
    const [, kilobytes = NaN] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
    return {
      percent: used / seconds * 100,
      megabytes: Number(kilobytes) / 1000,
    };
  } finally {
    await tmux(socket, ["kill-server"]);
  }
}

/** Ticks of the clock in which Linux counts processor time, per second. */
const ticks = 100;

/** Processor time of a process so far, in seconds. */
async function processorSeconds(pid: string): Promise<number> {
  const stat = await Deno.readTextFile(`/proc/${pid}/stat`);
  // The name before may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / ticks;
}

/** Returns what tmux prints; nothing where it is not installed. */
async function tmux(socket: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await new Deno.Command("tmux", {
      args: ["-L", socket, "-f", "/dev/null", ...args],
    }).output();
    return new TextDecoder().decode(stdout).trim();
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

function sleep(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
}
