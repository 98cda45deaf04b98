/** How long the parts of the life of a modelled node take. */

import type { Pace } from "../../../simulator/node/node.ts";

/** What paces follow from. */
export interface PaceSpec {
  /** Gives each node a pace of its own, always the same for the same number; default all have one pace. */
  readonly seed?: number;
  /** What is to be different. */
  readonly pace?: Partial<Pace>;
}

/** That of a quick machine: whoever waits for it looks every half a second, and that is what takes real time. */
const usual: Pace = {
  bootMs: 8_000,
  stopMs: 2_000,
  downMs: 4_000,
  installMs: 6_000,
  panicMs: 2_000,
};

/**
 * Gives nodes their paces.
 *
 * @returns Pace of a node by its index: with a seed from half to twice as long as usual.
 */
export function paceOf({ seed, pace }: PaceSpec): (index: number) => Pace {
  return (index) => {
    const factor = seed === undefined ? 1 : 0.5 + 1.5 * fraction(seed, index);
    const own = Object.entries(usual).map(([part, ms]) =>
      [part, Math.round(ms * factor)] as const
    );
    // The same keys.
    return { ...Object.fromEntries(own) as unknown as Pace, ...pace };
  };
}

/** A number from 0 to 1 that follows from two others (the finalizer of MurmurHash3). */
function fraction(seed: number, index: number): number {
  let mixed = (seed ^ Math.imul(index + 1, 0x9e3779b1)) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b) >>> 0;
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35) >>> 0;
  return ((mixed ^ (mixed >>> 16)) >>> 0) / 0xffffffff;
}
