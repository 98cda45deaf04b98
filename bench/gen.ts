/** `gen secrets` and `gen config`, whole process. */

import type { Measurement } from "../tools/bench.ts";
import { executable, measureUsage, median } from "./_bench.ts";

/** Primes are found by luck, so it takes many to tell. */
const secretsRounds = 31;
const configRounds = 11;

/**
 * Measures generating.
 *
 * @returns Medians in milliseconds: secrets, RSA key of 4096 bits among them, and configurations from secrets.
 * @throws {Error} If the executable cannot be built.
 */
export async function run(): Promise<readonly Measurement[]> {
  const folder = await Deno.makeTempDir();
  try {
    const osctl = await executable(folder);
    const env = { XDG_CACHE_HOME: folder, HOME: folder };
    const act = (...args: readonly string[]) => measureUsage(osctl, args, env);
    await act("--help"); // unpacks
    let number = 0;
    const secrets = await median(
      secretsRounds,
      () => act("gen", "secrets", "-o", `${folder}/secrets-${number++}.yaml`),
    );
    const config = await median(configRounds, () => {
      const line = ["gen", "config", "bench", "https://10.0.0.1:6443"];
      const bundle = ["--with-secrets", `${folder}/secrets-0.yaml`];
      return act(...line, ...bundle, "-o", `${folder}/${number++}`);
    });
    return [
      { name: "gen secrets", value: secrets.ms, unit: "ms", budget: 5_000 },
      {
        name: "gen config --with-secrets",
        value: config.ms,
        unit: "ms",
        budget: 180,
      },
    ];
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
