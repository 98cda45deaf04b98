/** A site in a temporary directory. */

import { splitPath } from "../../../lib/files/atomic_file.ts";
import { programRunner } from "../../../lib/run_program.ts";
import type { SiteEnvironment } from "../../../workflows/site/site_environment.ts";

/** Writes files, runs a test in their directory's path, and removes them. */
export async function withFiles(
  files: Readonly<Record<string, string>>,
  test: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries(files)) {
      const path = `${folder}/${name}`;
      await Deno.mkdir(splitPath(path)[0], { recursive: true });
      await Deno.writeTextFile(path, text, { mode: 0o600 });
    }
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** The environment of a site with these variables. */
export function fakeSiteEnvironment(
  variables: Readonly<Record<string, string>> = {},
): SiteEnvironment {
  const env = (name: string) => variables[name] ?? Deno.env.get(name);
  const { signal } = new AbortController();
  return {
    env,
    os: Deno.build.os,
    runProgram: programRunner(env),
    signal,
    now: () => new Date("2026-01-02T03:04:05Z"),
  };
}

/** A file with two nodes. */
export const smallSite = `clusterName: lab
clusterEndpoint: https://10.0.0.10:6443
kubernetesVersion: 1.36.3
talosVersion: v1.13.9
nodes:
  - {host: w-1, role: worker}
  - {host: cp-1, ip: 10.0.0.2, role: control-plane}
`;
