/** Inputs shared by commands of the group. */

import { canonicalAddress } from "../../lib/ip.ts";
import { type Flag, InputProblem, integer, toggle } from "../_kit/mod.ts";

/**
 * Parses the address of a flag.
 *
 * @param text IPv4 or IPv6.
 * @returns Address as in certificates.
 * @throws {InputProblem} If it is invalid.
 */
export function parseAddress(text: string): string {
  const address = canonicalAddress(text);
  if (address !== undefined) return address;
  throw new InputProblem("must be an IP address such as 10.0.0.2 or fd00::2");
}

/** Flags of every command of the group. */
export const forceInputs = {
  force: toggle("replace existing files", { short: "f" }),
};

/** Creates `--hours`. `initial`: default. */
export function hoursFlag(initial: number): Flag<number> {
  return integer("lifetime of the certificate, in hours", {
    initial,
    least: 1,
  });
}

/** Expiry of a certificate. */
export function addValidity(now: Date, hours: number): Date {
  return new Date(now.getTime() + hours * 60 * 60 * 1000);
}
