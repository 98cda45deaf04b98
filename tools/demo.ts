/** Shows osctl at work: simulated nodes start, are inspected over gRPC with mutual TLS, and go away again. */

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

/**
 * Runs the tour in a folder of its own.
 *
 * @param lines Command lines without the leading `osctl`.
 * @param print Shows a text.
 * @returns The first exit status that is not 0; else 0.
 */
export async function show(
  lines: readonly string[],
  print: (text: string) => Promise<void>,
): Promise<number> {
  const folder = await Deno.makeTempDir({ prefix: "osctl-demo-" });
  let failed = 0;
  try {
    for (const line of lines) {
      await print(`\n$ osctl ${line}\n`);
      const began = performance.now();
      const status = await osctl(folder, line);
      const took = Math.round(performance.now() - began);
      await print(`(${took} ms${status === 0 ? "" : `, status ${status}`})\n`);
      failed ||= status;
    }
    return failed;
  } finally {
    await osctl(folder, "cluster destroy --force", "null");
    await Deno.remove(folder, { recursive: true });
  }
}

async function osctl(
  folder: string,
  line: string,
  output: "inherit" | "null" = "inherit",
): Promise<number> {
  const [first, ...rest] = line.split(" ");
  // Only clusters have a state folder; everything else follows from the client configuration.
  const state = first === "cluster" ? ["--state", `${folder}/clusters`] : [];
  const { code } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--quiet",
      new URL("../mod.ts", import.meta.url).pathname,
      first ?? "",
      ...rest,
      ...state,
    ],
    env: { OSCONFIG: `${folder}/osconfig` },
    stdout: output,
    stderr: output,
  }).output();
  return code;
}

if (import.meta.main) {
  const bytes = (text: string) => new TextEncoder().encode(text);
  Deno.exit(
    await show(tour, async (text) => {
      await Deno.stdout.write(bytes(text));
    }),
  );
}
