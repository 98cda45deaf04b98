/** Members of etcd by what people call them. */

import type { EtcdMember } from "./quorum.ts";

/**
 * Finds members by id or host name.
 *
 * @param text Id, hexadecimal, or the host name of a member.
 * @returns None when there is none, several when the name is that of several.
 */
export function membersNamed(
  text: string,
  members: readonly EtcdMember[],
): readonly EtcdMember[] {
  const wanted = text.toLowerCase().replace(/^0x/, "").padStart(16, "0");
  const byId = members.filter(({ id }) => id === wanted);
  return byId.length > 0 ? byId : members.filter(({ name }) => name === text);
}
