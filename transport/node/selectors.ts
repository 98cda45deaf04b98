/** Names that stand for several nodes. */

import { UsageError } from "../../errors.ts";
import { allMembers, type Member } from "./members.ts";

const selectors: Readonly<Record<string, (member: Member) => boolean>> = {
  "@all": () => true,
  "@controlplane": (member) => member.controlPlane,
  "@workers": (member) => !member.controlPlane,
};

/**
 * Tells selectors from nodes.
 *
 * @param node As the user wrote it.
 */
export function isSelector(node: string): boolean {
  return node.startsWith("@");
}

/**
 * Makes sure that a selector exists.
 *
 * @param selector Starts with `@`.
 * @throws {UsageError} If it does not.
 */
export function checkSelector(selector: string): void {
  if (Object.hasOwn(selectors, selector)) return;
  const known = Object.keys(selectors).join(", ");
  throw new UsageError(`Unknown node selector "${selector}"`, {
    hint: `Known selectors are ${known}`,
  });
}

/**
 * Finds the nodes a selector stands for.
 *
 * @param selector Checked.
 * @param members Nodes of the cluster that are known.
 * @returns Addresses in the order of the members.
 * @throws {UsageError} If there is none.
 * @throws {OsctlError} If workers are meant, and may be missing.
 */
export function selected(
  selector: string,
  members: readonly Member[],
): readonly string[] {
  const matches = selectors[selector] ?? (() => false);
  if (selector !== "@controlplane") {
    allMembers(members, "Name the nodes by their addresses");
  }
  const addresses = members.filter(matches).map(({ address }) => address);
  if (addresses.length === 0) {
    throw new UsageError(`No member of the cluster matches "${selector}"`, {
      hint: "See the members with: osctl get members",
    });
  }
  return addresses;
}
