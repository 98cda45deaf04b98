import { domain } from "../../talos.ts";
import { OsctlError, RpcError } from "../../errors.ts";
import type { NodeClient } from "../call/client.ts";
import { single } from "../call/reply.ts";
import { addressFamily } from "../../lib/ip.ts";

/** A node that the cluster knows. */
export interface Member {
  /** First of its addresses, by which endpoints reach it. */
  readonly address: string;
  /** All its addresses, where discovery lists them. */
  readonly addresses?: readonly string[];
  readonly hostname: string;
  /** Whether it runs the control plane. */
  readonly controlPlane: boolean;
  /** True when only the member list of etcd names it, since discovery does not. */
  readonly fromEtcd?: true;
}

/**
 * Lists the members of the cluster that the endpoint knows.
 *
 * Without discovery a node lists at most itself. Then the member list of etcd names the control planes, and
 * nothing names the workers.
 *
 * @param deadlineMs Longest time for each of its answers, in milliseconds; default none, and 5 s for that of etcd.
 * @returns Members that discovery lists, and control planes that only etcd lists.
 */
export async function knownMembers(
  client: NodeClient,
  deadlineMs?: number,
): Promise<Member[]> {
  const members = await clusterMembers(client, deadlineMs);
  if (members.length > 1) return members;
  try {
    const found = await etcdMembers(client, deadlineMs);
    const others = found.filter((one) => !isListed(one, members));
    // etcd sorts by ids, which are random; discovery sorts by name.
    return [...members, ...others]
      .toSorted((a, b) => a.hostname < b.hostname ? -1 : 1);
  } catch (error) {
    // A worker has no etcd, and a broken etcd says nothing of the node behind it.
    if (error instanceof OsctlError) return members;
    throw error;
  }
}

/**
 * Makes sure that no node of the cluster is missing.
 *
 * @param hint What the user can do; default to turn discovery on.
 * @returns The same.
 * @throws {OsctlError} If workers may be missing because discovery does not work.
 */
export function allMembers(
  members: readonly Member[],
  hint = "Turn on cluster.discovery, and see: osctl get members",
): readonly Member[] {
  const isWhole = members.some(({ controlPlane }) => controlPlane) &&
    !members.some(({ fromEtcd }) => fromEtcd);
  if (isWhole) return members;
  throw new OsctlError(
    "The workers of the cluster are unknown: discovery is off or does not work",
    { hint },
  );
}

/** Longest wait for etcd, which may have no leader, in milliseconds. */
const etcdMs = 5_000;

/** Control planes by the member list of etcd on one of them. */
async function etcdMembers(
  { machine }: NodeClient,
  deadlineMs: number | undefined,
): Promise<readonly Member[]> {
  const { messages } = await machine.etcdMemberList(
    { queryLocal: true },
    { deadlineMs: deadlineMs ?? etcdMs },
  );
  return single(messages).members.flatMap((member) => {
    const [address] = etcdAddresses(member);
    if (address === undefined) return [];
    const hostname = member.hostname || address;
    return [{ address, hostname, controlPlane: true, fromEtcd: true }];
  });
}

/**
 * Addresses of a member of etcd.
 *
 * @param urls Its URLs; one that never started has none for clients.
 * @returns Each once, without brackets and port.
 */
export function etcdAddresses(
  { clientUrls, peerUrls }: {
    readonly clientUrls: readonly string[];
    readonly peerUrls: readonly string[];
  },
): readonly string[] {
  const hosts = [...clientUrls, ...peerUrls]
    .map((url) => URL.parse(url)?.hostname.replace(/^\[(.*)\]$/, "$1") ?? "");
  return [...new Set(hosts)].filter(Boolean);
}

/** Whether a list has a node, by its address or by its name with or without a domain. */
function isListed(
  { address, hostname }: Member,
  members: readonly Member[],
): boolean {
  return members.some((one) =>
    hasAddress(one, address) || one.hostname === hostname ||
    one.hostname.startsWith(`${hostname}.`)
  );
}

/**
 * Lists the members of the cluster that discovery knows.
 *
 * @param deadlineMs Longest time for all of them, in milliseconds; default none.
 * @returns Members in the order of the endpoint; those without an address are omitted.
 */
export async function clusterMembers(
  client: NodeClient,
  deadlineMs?: number,
): Promise<Member[]> {
  // Only selectors need it, and it adds to the start of everything else.
  const { parseSpec } = await import("./resource_yaml.ts");
  const members: Member[] = [];
  const answers = client.state.list({
    namespace: "cluster",
    type: `Members.cluster.${domain}`,
    options: {},
  }, deadlineMs === undefined ? {} : { deadlineMs });
  for await (const { resource } of answers) {
    const yaml = resource?.spec?.yamlSpec ?? "";
    const found = known.get(yaml) ?? readMember(parseSpec(yaml));
    if (known.size >= mostKnown) known.clear();
    known.set(yaml, found);
    members.push(...found);
  }
  return members;
}

/** Members by their specs: a run asks for the same list again and again. */
const known = new Map<string, readonly Member[]>();

/** So many specs are remembered, a megabyte or two. */
const mostKnown = 4_096;

function readMember(spec: unknown): readonly Member[] {
  if (typeof spec !== "object" || spec === null) return [];
  const { addresses, hostname, machineType } = spec as Record<string, unknown>; // checked below
  const [address, ...others] = Array.isArray(addresses)
    ? addresses.filter((one) => typeof one === "string")
    : [];
  if (address === undefined) return [];
  return [{
    address,
    ...others.length > 0 && { addresses: [address, ...others] },
    hostname: typeof hostname === "string" ? hostname : address,
    controlPlane: machineType === "controlplane" || machineType === "init",
  }];
}

function hasAddress(
  { address, addresses = [address] }: Member,
  text: string,
): boolean {
  return addresses.includes(text);
}

/** Leaves out nodes that are named again, by another address or by their host name. */
export function distinctNodes(
  names: readonly string[],
  members: readonly Member[],
): readonly string[] {
  const seen = new Set<string>();
  return names.filter((name) => {
    const node = memberNamed(members, name)?.address ?? name;
    return !seen.has(node) && seen.add(node);
  });
}

/** Finds a member by the name a user gives it: an address, or its host name, also without the domain if only one has it. */
export function memberNamed(
  members: readonly Member[],
  node: string,
): Member | undefined {
  const found = members.find((member) =>
    hasAddress(member, node) || member.hostname === node
  );
  if (found !== undefined || node === "") return found;
  const [first, ...others] = members.filter(({ hostname }) =>
    hostname.startsWith(`${node}.`) && addressFamily(hostname) === undefined
  );
  return others.length === 0 ? first : undefined;
}

/**
 * Finds the addresses of nodes that are chosen by name.
 *
 * An endpoint forwards to names that its own resolver knows, and those of other members are seldom among them. A name
 * keeps the address it once had, so that the same machine is meant when it is renamed meanwhile.
 *
 * @param list Lists the members; asked when a name is not known yet.
 * @returns Gives the address of a node, or the name itself when no member has it.
 */
export function memberAddresses(
  list: () => Promise<readonly Member[]>,
): (node: string) => Promise<string> {
  const addresses = new Map<string, string>();
  let listing: Promise<readonly Member[]> | undefined;

  async function members(): Promise<readonly Member[]> {
    try {
      return await (listing ??= list());
    } catch (error) {
      // Whether the endpoint knows the name is for it to say.
      if (error instanceof RpcError) return [];
      throw error;
    } finally {
      listing = undefined;
    }
  }

  return async (node) => {
    if (addressFamily(node) !== undefined) return node;
    const known = addresses.get(node);
    if (known !== undefined) return known;
    const member = memberNamed(await members(), node);
    if (member === undefined) return node;
    addresses.set(node, member.address);
    return member.address;
  };
}
