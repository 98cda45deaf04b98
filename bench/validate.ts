/** `validate` of one configuration and of many, whole process. */

import type { Measurement } from "../tools/bench.ts";
import { executable, measureUsage, median } from "./_bench.ts";

const rounds = 11;
const files = 200;
const bytes = 50_000;

/**
 * Measures validation.
 *
 * @returns Medians in milliseconds: one generated configuration, and 200 of 50 kB in one call.
 * @throws {Error} If the executable cannot be built, or a configuration is not valid.
 */
export async function run(): Promise<readonly Measurement[]> {
  const folder = await Deno.makeTempDir();
  try {
    const osctl = await executable(folder);
    const env = { XDG_CACHE_HOME: folder, HOME: folder };
    const act = (...args: readonly string[]) => measureUsage(osctl, args, env);
    await act("gen", "config", "bench", "https://10.0.0.1:6443", "-o", folder);
    const small = `${folder}/controlplane.yaml`;
    const text = enlarge(await Deno.readTextFile(small));
    const many = Array.from({ length: files }, (_, i) => `${folder}/${i}.yaml`);
    for (const path of many) await Deno.writeTextFile(path, text);
    const measured = async (times: number, paths: readonly string[]) => {
      const line = ["validate", "--mode", "metal", ...paths];
      return (await median(times, () => act(...line))).ms;
    };
    return [
      {
        name: "validate a generated configuration",
        value: await measured(rounds, [small]),
        unit: "ms",
        budget: 150,
      },
      {
        name: `validate ${files} of ${bytes / 1000} kB`,
        value: await measured(3, many),
        unit: "ms",
        budget: 3_000,
      },
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** A configuration with so many volumes and files in it that it has the size. */
function enlarge(text: string): string {
  let parts = "";
  let volumes = "";
  for (let i = 0; text.length + parts.length + volumes.length < bytes; i++) {
    parts += `        - path: /var/etc/file-${i}
          permissions: 0o644
          op: create
          content: setting-${i} = value
`;
    volumes += `---
apiVersion: v1alpha1
kind: UserVolumeConfig
name: data-${i}
provisioning:
    diskSelector:
        match: disk.transport == "nvme" && disk.size > ${i}u * GB
    minSize: 10GB
`;
  }
  return text.replace(/^machine:\n/m, `machine:\n    files:\n${parts}`) +
    volumes;
}
