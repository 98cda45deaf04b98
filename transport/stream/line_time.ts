/** When lines of logs were written, by what stands in them. */

/** A date and a time of day near the start of a line; without a zone it is UTC. */
const iso =
  /(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d:\d\d:\d\d)(?:[.,](\d{1,9}))?\d* ?(Z|[+-]\d\d:?\d\d)?/;

/** Kubernetes components: `I0102 03:04:05.678901`. */
const klog = /^(?:\S+ stderr F )?[IWEF](\d\d)(\d\d) (\d\d:\d\d:\d\d\.\d{1,3})/;

/** Seconds or milliseconds since 1970: `"ts":1767323045678.9`, `audit(1767323045.678:2)`. */
const epoch = /(?:"(?:ts|time)": ?|\baudit\()(\d{10,13}(?:\.\d+)?)/;

/** How far into a line times are looked for. */
const reach = 200;

const dayMs = 24 * 3_600_000;

/**
 * Finds when a line was written.
 *
 * @param line One line of a log of a service, a container or the kernel.
 * @param now The present, in milliseconds since 1970, for lines without a year.
 * @returns Milliseconds since 1970, fractions included; `undefined` where the line does not say.
 */
export function lineTime(line: string, now: number): number | undefined {
  const start = line.slice(0, reach);
  const [, year, month, day, time, fraction = "", zone = "Z"] =
    iso.exec(start) ?? [];
  if (year !== undefined) {
    const whole = Date.parse(`${year}-${month}-${day}T${time}${zone}`);
    if (!Number.isNaN(whole)) return whole + Number(`0.${fraction}0`) * 1000;
  }
  const [, kMonth, kDay, kTime] = klog.exec(start) ?? [];
  if (kMonth !== undefined) {
    const at = (year: number) =>
      Date.parse(`${year}-${kMonth}-${kDay}T${kTime}Z`);
    const thisYear = new Date(now).getUTCFullYear();
    // A line from the last days of December, read in January.
    const found = at(thisYear) > now + dayMs ? at(thisYear - 1) : at(thisYear);
    return Number.isNaN(found) ? undefined : found;
  }
  const [, number] = epoch.exec(start) ?? [];
  if (number === undefined) return undefined;
  return Number(number) < 1e11 ? Number(number) * 1000 : Number(number);
}
