/** Secrets of two clusters, and command lines that use them. */

import { parseContract } from "../../../config/generate/contract.ts";
import { generateSecrets } from "../../../config/generate/secrets.ts";
import { renderSecrets } from "../../../config/generate/secrets_file.ts";
import type { Ran, RunOptions } from "../../_run.ts";
import { type Folder, testIn } from "../gen/_folder.ts";

/** A secrets bundle without an RSA key, which would take long. */
async function secretsText(): Promise<string> {
  return renderSecrets(
    await generateSecrets({
      contract: parseContract("v1.6"),
      now: new Date("2026-01-01T00:00:00Z"),
    }),
  );
}

/** Content of `alpha.yaml`. */
export const alpha: string = await secretsText();

/** Content of `beta.yaml`. */
export const beta: string = await secretsText();

/** A folder with the secrets of two clusters, `alpha.yaml` and `beta.yaml`. */
export interface Clusters extends Folder {
  /**
   * Runs `gen config` for the cluster `alpha` without comments.
   *
   * @param flags Further words; `DIR` stands for the folder.
   */
  readonly gen: (
    flags: string | readonly string[],
    options?: RunOptions,
  ) => Promise<Ran>;
}

/** Words every command line of {@linkcode Clusters.gen} begins with. */
export const words: readonly string[] = [
  ..."gen config c1 https://10.5.0.2:6443".split(" "),
  ..."--with-secrets DIR/alpha.yaml".split(" "),
  ..."--with-docs=false --with-examples=false".split(" "),
];

/** Declares a test that starts from the secrets of two clusters. */
export function testWithClusters(
  name: string,
  test: (clusters: Clusters) => Promise<void>,
  options: { readonly ignore?: boolean } = {},
): void {
  testIn(name, async (folder) => {
    await folder.write("alpha.yaml", alpha);
    await folder.write("beta.yaml", beta);
    await test({
      ...folder,
      gen: (flags, options) =>
        folder.osctl([
          ...words,
          ...(typeof flags === "string" ? flags.split(" ") : flags),
        ], options),
    });
  }, options);
}

/** Lines that differ, those of the second text with `+` in front, without indentation. */
export function changes(before: string, after: string): string[] {
  const count = (text: string) => {
    const counts = new Map<string, number>();
    for (const line of text.split("\n").map((line) => line.trim())) {
      counts.set(line, (counts.get(line) ?? 0) + 1);
    }
    return counts;
  };
  const [old, fresh] = [count(before), count(after)];
  const more = (a: Map<string, number>, b: Map<string, number>) =>
    [...a].flatMap(([line, times]) =>
      Array<string>(Math.max(0, times - (b.get(line) ?? 0))).fill(line)
    );
  return [
    ...more(old, fresh).map((line) => `-${line}`),
    ...more(fresh, old).map((line) => `+${line}`),
  ];
}
