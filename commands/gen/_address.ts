/** Addresses that certificates are made for. */

import { canonicalAddress } from "../../pki/address.ts";
import { InputProblem } from "../_kit/mod.ts";

/**
 * Reads an address as a flag has it.
 *
 * @param text IPv4 or IPv6.
 * @returns Address as certificates show it.
 * @throws {InputProblem} If it is none.
 */
export function parseAddress(text: string): string {
  const address = canonicalAddress(text);
  if (address !== undefined) return address;
  throw new InputProblem("must be an IP address such as 10.0.0.2 or fd00::2");
}
