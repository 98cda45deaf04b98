/** Runs the benchmarks in `bench/` and prints each with its budget. */

import { layOut } from "../terminal/table.ts";

/** A measured value. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** Upper limit, or lower limit when `atLeast` is set. */
  readonly budget?: number;
  readonly atLeast?: boolean;
  readonly detail?: string;
}

/** A benchmark that cannot run here. */
export interface Ignored {
  readonly name: string;
  readonly ignored: string;
}

/**
 * Formats measurements as a table.
 *
 * @param measured Measurements with their file.
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
        [`${round(one.value)} ${one.unit}`, one.detail ?? []].flat()
          .join(", "),
        one.budget === undefined
          ? ""
          : `${one.atLeast ? "at least" : "at most"} ${
            round(one.budget)
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

function round(value: number): number {
  return Number(value.toPrecision(4));
}

/**
 * Compares a measurement with its budget.
 *
 * @param measured The measurement.
 * @returns True when it is within budget, or has none.
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
    // Sequential: parallel benchmarks would disturb each other.
    const figures: readonly (Measurement | Ignored)[] = await run();
    measured.push(...figures.map((one) => ({ ...one, file })));
  }
  await Deno.stdout.write(new TextEncoder().encode(report(measured)));
}
