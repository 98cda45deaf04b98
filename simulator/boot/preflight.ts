/** Which releases an installer takes the place of. */

import { runtimeName as osName } from "../../dialect.ts";

/**
 * Why an installer refuses to install its release over another one.
 *
 * @param tag Version it brings, with `v`.
 * @param host Version that runs, with `v`.
 * @returns `undefined` when it does not refuse: two minor versions back, one forward, and whatever is no version of line 1.
 */
export function preflightRefusal(
  tag: string,
  host: string,
): string | undefined {
  const [to, from] = [minorOf(tag), minorOf(host)];
  if (to === undefined || from === undefined) return undefined;
  const [own, other] = [host.slice(1), `${osName} ${tag.slice(1)}`];
  if (from < to - 2) {
    return `host version ${own} is too old to upgrade to ${other}`;
  }
  return from >= to + 2
    ? `host version ${own} is too new to downgrade to ${other}`
    : undefined;
}

function minorOf(tag: string): number | undefined {
  const [, minor] = /^v1\.(\d+)\./.exec(tag) ?? [];
  return minor === undefined ? undefined : Number(minor);
}
