/** Shows osctl at work: simulated nodes start, are inspected over gRPC with mutual TLS, and go away again. */

import { exitStatus } from "../errors.ts";

/** What is shown, in order; words separated by single spaces. */
export const tour: readonly string[] = [
  "cluster create embedded --controlplanes 3 --workers 2",
  "config info",
  "version --short",
  "service --nodes @workers",
  "memory --nodes @all",
  "get members",
  "list /etc --nodes @workers",
  "logs machined --tail 3 --nodes @controlplane",
  "time",
  "doctor connect",
  "cluster destroy",
];

/** Who takes part in a tour. */
export interface Guide {
  /** Runs a command line without the leading `osctl` and gives its exit status. */
  readonly osctl: (line: string) => Promise<number>;
  /** Shows a text. */
  readonly print: (text: string) => Promise<void>;
}

/**
 * Runs the tour, to its end unless the user interrupts it.
 *
 * @param lines Command lines.
 * @param guide Runs and shows them.
 * @returns The first exit status that is not 0; else 0.
 */
export async function show(
  lines: readonly string[],
  { osctl, print }: Guide,
): Promise<number> {
  let failed = 0;
  for (const line of lines) {
    await print(`\n$ osctl ${line}\n`);
    const began = performance.now();
    const status = await osctl(line);
    const took = Math.round(performance.now() - began);
    await print(`(${took} ms${status === 0 ? "" : `, status ${status}`})\n`);
    failed ||= status;
    if (status === exitStatus.interrupted) break;
  }
  return failed;
}

/** Runs osctl from the sources, with everything it keeps in one folder. */
async function osctlIn(
  folder: string,
  line: string,
  output: "inherit" | "null" = "inherit",
): Promise<number> {
  const main = new URL("../mod.ts", import.meta.url).pathname;
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", main, ...line.split(" ")],
    env: { OS_HOME: folder, OSCONFIG: `${folder}/config` },
    stdout: output,
    stderr: output,
  }).output();
  return code;
}

if (import.meta.main) {
  // The command that runs is interrupted too; what it leaves is removed below.
  Deno.addSignalListener("SIGINT", () => {});
  const folder = await Deno.makeTempDir({ prefix: "osctl-demo-" });
  let status: number;
  try {
    status = await show(tour, {
      osctl: (line) => osctlIn(folder, line),
      async print(text) {
        await Deno.stdout.write(new TextEncoder().encode(text));
      },
    });
  } finally {
    await osctlIn(folder, "cluster destroy --force", "null");
    await Deno.remove(folder, { recursive: true });
  }
  Deno.exit(status);
}
