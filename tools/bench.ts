/** Runs the measurements in `bench/` and prints each beside its budget. */

import { layOut } from "../terminal/table.ts";

/** One figure of a measurement. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  /** Its unit. */
  readonly unit: string;
  /** What it should stay below, or above when `atLeast` is set. */
  readonly budget?: number;
  readonly atLeast?: boolean;
  readonly detail?: string;
}

/** What cannot be measured here. */
export interface Ignored {
  readonly name: string;
  readonly ignored: string;
}

/**
 * Draws figures as a table.
 *
 * @param measured Figures with the file they come from.
 */
export function report(
  measured: readonly ((Measurement | Ignored) & {
    readonly file: string;
  })[],
): string {
  const rows = measured.map((one) =>
    "ignored" in one
      ? [one.file, one.name, "", "", `ignored: ${one.ignored}`]
      : [
        one.file,
        one.name,
        [`${rounded(one.value)} ${one.unit}`, one.detail ?? []].flat()
          .join(", "),
        one.budget === undefined
          ? ""
          : `${one.atLeast ? "at least" : "at most"} ${
            rounded(one.budget)
          } ${one.unit}`,
        one.budget === undefined ? "" : within(one) ? "ok" : "OVER BUDGET",
      ]
  );
  return layOut([
    ["FILE", "MEASUREMENT", "FIGURE", "BUDGET", "RESULT"],
    ...rows,
  ], {
    gap: 3,
  }).text;
}

function rounded(value: number): number {
  return Number(value.toPrecision(4));
}

/**
 * Compares a figure with its budget.
 *
 * @param measured The figure.
 * @returns True when it has no budget or keeps it.
 */
export function within(
  { value, budget, atLeast = false }: Measurement,
): boolean {
  if (budget === undefined) return true;
  return atLeast ? value >= budget : value <= budget;
}

if (import.meta.main) {
  const folder = new URL("../bench/", import.meta.url);
  const names: string[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.startsWith("_") && name.endsWith(".ts")) names.push(name);
  }
  const wanted = Deno.args;
  const measured = [];
  for (const name of names.sort()) {
    const file = name.slice(0, -3);
    if (wanted.length > 0 && !wanted.includes(file)) continue;
    const { run } = await import(new URL(name, folder).href);
    // One after another on purpose: they would disturb each other.
    const figures: readonly (Measurement | Ignored)[] = await run();
    measured.push(...figures.map((one) => ({ ...one, file })));
  }
  await Deno.stdout.write(new TextEncoder().encode(report(measured)));
}
