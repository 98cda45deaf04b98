/** `machineconfig patch` on a generated configuration and on a large one, whole process. */

import type { Measurement } from "../tools/bench.ts";
import { executable, measureUsage, median } from "./_bench.ts";

const rounds = 11;
const largeFiles = 5_000;

const change = `machine:
  network:
    hostname: bench
  certSANs: [bench.example.com]
  files:
    - path: /var/etc/bench
      op: create
      content: bench
`;

/**
 * Measures patching.
 *
 * @returns Medians in milliseconds: a generated configuration with a merge and
 * with operations, and one of about 1 MB.
 * @throws {Error} If the executable cannot be built.
 */
export async function run(): Promise<readonly Measurement[]> {
  const folder = await Deno.makeTempDir();
  try {
    const osctl = await executable(folder);
    const env = { XDG_CACHE_HOME: folder, HOME: folder };
    const act = (...args: readonly string[]) => measureUsage(osctl, args, env);
    await act("gen", "config", "bench", "https://10.0.0.1:6443", "-o", folder);
    const small = `${folder}/controlplane.yaml`;
    const large = `${folder}/large.yaml`;
    const text = await Deno.readTextFile(small);
    await Deno.writeTextFile(large, enlarge(text));
    await Deno.writeTextFile(`${folder}/merge.yaml`, change);
    const operation = '[{"op": "add", "path": "/debug", "value": true}]';
    const measured = async (file: string, patch: string) => {
      const line = ["machineconfig", "patch", file, "-p", patch];
      return (await median(rounds, () => act(...line))).ms;
    };
    const merge = `@${folder}/merge.yaml`;
    return [
      {
        name: "merge into a generated configuration",
        value: await measured(small, merge),
        unit: "ms",
        budget: 180,
      },
      {
        name: "operation on a generated configuration",
        value: await measured(small, operation),
        unit: "ms",
        budget: 180,
      },
      {
        name: "merge into 1 MB",
        value: await measured(large, merge),
        unit: "ms",
        budget: 500,
      },
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A configuration with thousands of files in it. */
function enlarge(text: string): string {
  const files = Array.from(
    { length: largeFiles },
    (_, number) =>
      `        - path: /var/etc/file-${number}
          permissions: 0o644
          op: create
          content: |
            # part ${number}
            setting-${number} = value
            another line of text that is somewhat longer
`,
  ).join("");
  return text.replace(/^machine:\n/m, `machine:\n    files:\n${files}`);
}
