/** Damages files of a process, and nodes. */

import { type RpcCode, RpcError } from "../../errors.ts";
import { setFault } from "../../simulator/faults/set_fault.ts";
import type { FaultName, FaultOptions } from "../../simulator/state/faults.ts";
import type { Lab } from "./lab.ts";

/** Damages a file of a process. Returns true if a journal has no record afterwards, as if nothing had been requested. */
export async function damage(lab: Lab): Promise<boolean> {
  const kind = lab.random(4);
  const files = await filesBelow(lab.folder(), /\/(runs|operations)\//);
  const headers = files.filter((path) => path.endsWith("header.json"));
  const [path = headers[0]] = kind === 0 ? headers : files.slice(
    lab.random(files.length),
  );
  if (path === undefined) return false;
  const isJournal = path.endsWith(".jsonl");
  if (kind === 1) {
    await Deno.remove(path);
    return isJournal;
  }
  const bytes = await Deno.readFile(path);
  if (kind === 2) {
    const half = bytes.slice(0, bytes.length >> 1);
    await Deno.writeFile(path, half);
    return isJournal && !half.includes(newline);
  }
  const text = new TextDecoder("latin1").decode(bytes);
  const version = lab.wishes[0]?.goal.version;
  if (kind === 0 && version !== undefined && text.includes(version)) {
    const other = version.replace(/\d+$/, (last) => `${Number(last) + 1}`);
    await Deno.writeTextFile(path, text.replaceAll(version, other));
    return false;
  }
  const at = lab.random(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ 1 << lab.random(6);
  await Deno.writeFile(path, bytes);
  return false;
}

const newline = 10;

async function filesBelow(
  folder: string,
  fits: RegExp,
): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const { name, isDirectory, isFile } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    if (isDirectory) found.push(...await filesBelow(path, fits));
    else if (isFile && fits.test(path)) found.push(path);
  }
  return found.toSorted();
}

/** Faults of a node during the errand, and the number of boots they cause. */
const faults: readonly {
  readonly name: FaultName;
  readonly options?: FaultOptions;
  readonly boots?: number;
}[] = [
  { name: "wrong-protobuf", options: { calls: 3 } },
  { name: "stream-drop" },
  { name: "stream-silence-after-ack" },
  { name: "slow", options: { ms: 300 } },
  { name: "never-returns" },
  { name: "never-reboots" },
  { name: "rolled-back", boots: 1 },
  { name: "returns-unconfigured" },
  { name: "maintenance-before-boot", options: { ms: 2_000 } },
  { name: "reboot-mid-stream", options: { calls: 1 }, boots: 1 },
  { name: "rbac-reader", options: { calls: 5 } },
  { name: "clock-skew" },
  { name: "installer-fails" },
  { name: "image-missing" },
  { name: "server-cert-expired" },
  { name: "kubelet-silent" },
  { name: "pdb-blocks" },
  { name: "member-missing" },
];

const codes: readonly RpcCode[] = [
  ...["INTERNAL", "UNKNOWN", "FAILED_PRECONDITION"] as const,
  ...["UNAVAILABLE", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED"] as const,
];

/** Adds a fault to one node. Returns the timeout of an operator. */
export async function spoil(lab: Lab, call: string): Promise<number> {
  const { random, cluster: { nodes } } = lab;
  const code = codes[random(codes.length)];
  if (random(2) === 0 && code !== undefined) {
    const quoted = lab.secrets.join(" ");
    lab.at(({ method, changes }) => changes && method === call, () => {
      throw new RpcError(code, `upgrade failed: not now ${quoted}`);
    });
    return 100_000;
  }
  const fault = faults[random(faults.length)];
  const own = lab.wishes[0]?.nodes ?? [];
  const named = nodes.filter(({ origin }) => own.includes(origin.hostname));
  const node = named[random(named.length)];
  if (fault === undefined || node === undefined) return 0;
  for (let left = fault.boots ?? 0; left > 0; left--) {
    lab.announce(node, "foreign-boot");
    lab.announce(node, "attack");
  }
  await setFault(node, fault.name, fault.options ?? {});
  return 45_000;
}
