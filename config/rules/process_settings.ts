/** `machine.baseRuntimeSpecOverrides`. */

import type { Cursor } from "../documents/cursor.ts";
import type { Problem } from "../documents/problem.ts";
import { isGiven, readText } from "./checks.ts";

/**
 * Container settings (OCI runtime specification, Linux parts): keys and value types,
 * with lists `[]` and mappings `{}`. Unlisted keys accept any value.
 */
const structures = parseStructures(`
Spec: ociVersion:text process:Process root:Root hostname:text domainname:text mounts:Mount[]
  hooks:Hooks annotations:text{} linux:Linux
Process: terminal:truth consoleSize:ConsoleSize user:User args:text[] commandLine:text env:text[]
  cwd:text capabilities:Capabilities rlimits:Rlimit[] noNewPrivileges:truth apparmorProfile:text
  oomScoreAdj:i64 scheduler:Scheduler selinuxLabel:text ioPriority:IOPriority
  execCPUAffinity:CPUAffinity
ConsoleSize: height:u64 width:u64
User: uid:u32 gid:u32 umask:u32 additionalGids:u32[] username:text
Capabilities: bounding:text[] effective:text[] inheritable:text[] permitted:text[] ambient:text[]
Rlimit: type:text hard:u64 soft:u64
Scheduler: policy:text nice:i32 priority:i32 flags:text[] runtime:u64 deadline:u64 period:u64
IOPriority: class:text priority:i64
CPUAffinity: initial:text final:text
Root: path:text readonly:truth
Mount: destination:text type:text source:text options:text[] uidMappings:IdMapping[]
  gidMappings:IdMapping[]
IdMapping: containerID:u32 hostID:u32 size:u32
Hooks: prestart:Hook[] createRuntime:Hook[] createContainer:Hook[] startContainer:Hook[]
  poststart:Hook[] poststop:Hook[]
Hook: path:text args:text[] env:text[] timeout:i64
Linux: uidMappings:IdMapping[] gidMappings:IdMapping[] sysctl:text{} resources:Resources
  cgroupsPath:text namespaces:Namespace[] devices:Device[] netDevices:NetDevice{} seccomp:Seccomp
  rootfsPropagation:text maskedPaths:text[] readonlyPaths:text[] mountLabel:text intelRdt:IntelRDT
  memoryPolicy:MemoryPolicy personality:Personality timeOffsets:TimeOffset{}
Resources: devices:DeviceRule[] memory:Memory cpu:CPU pids:PIDs blockIO:BlockIO
  hugepageLimits:HugePageLimit[] network:Network rdma:RDMA{} unified:text{}
DeviceRule: allow:truth type:text major:i64 minor:i64 access:text
Memory: limit:i64 reservation:i64 swap:i64 kernel:i64 kernelTCP:i64 swappiness:u64
  disableOOMKiller:truth useHierarchy:truth checkBeforeUpdate:truth
CPU: shares:u64 quota:i64 burst:u64 period:u64 realtimeRuntime:i64 realtimePeriod:u64 cpus:text
  mems:text idle:i64
PIDs: limit:i64
BlockIO: weight:u16 leafWeight:u16 weightDevice:DeviceWeight[] throttleReadBpsDevice:DeviceRate[]
  throttleWriteBpsDevice:DeviceRate[] throttleReadIOPSDevice:DeviceRate[]
  throttleWriteIOPSDevice:DeviceRate[]
DeviceWeight: major:i64 minor:i64 weight:u16 leafWeight:u16
DeviceRate: major:i64 minor:i64 rate:u64
HugePageLimit: pageSize:text limit:u64
Network: classID:u32 priorities:Priority[]
Priority: name:text priority:u32
RDMA: hcaHandles:u32 hcaObjects:u32
Namespace: type:text path:text
Device: path:text type:text major:i64 minor:i64 fileMode:u32 uid:u32 gid:u32
NetDevice: name:text
Seccomp: defaultAction:text defaultErrnoRet:u64 architectures:text[] flags:text[]
  listenerPath:text listenerMetadata:text syscalls:Syscall[]
Syscall: names:text[] action:text errnoRet:u64 args:Arg[]
Arg: index:u64 value:u64 valueTwo:u64 op:text
IntelRDT: closID:text schemata:text[] l3CacheSchema:text memBwSchema:text enableMonitoring:truth
MemoryPolicy: mode:text nodes:text flags:text[]
Personality: domain:text flags:text[]
TimeOffset: secs:i64 nanosecs:u32
`);

/** Structures by name, with keys and types. */
function parseStructures(
  text: string,
): ReadonlyMap<string, ReadonlyMap<string, string>> {
  return new Map(
    text.trim().split(/\n(?! )/).map((line) => {
      const [name = "", fields = ""] = line.split(/:\s+(.*)/s);
      // The runtime falls back to a case-insensitive match of keys.
      const types = fields.split(/\s+/).map((field) => {
        const [key = "", type = ""] = field.split(":");
        return [key.toLowerCase(), type] as const;
      });
      return [name, new Map(types)];
    }),
  );
}

const truths = /^(?:true|True|TRUE|false|False|FALSE)$/;
const numbers =
  /^[-+]?(?:0x[0-9a-fA-F_]+|0o[0-7_]+|0b[01_]+|[0-9][0-9_]*|(?:[0-9][0-9_]*\.?[0-9_]*|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?)$/;

/** Container settings must have the types that the runtime expects. */
export function* runtimeSpecRules(root: Cursor): Iterable<Problem> {
  yield* runtimeSpecProblems(root.get("machine", "baseRuntimeSpecOverrides"));
}

/** Finds container settings that the runtime cannot parse. */
export function runtimeSpecProblems(overrides: Cursor): Iterable<Problem> {
  return typeRules(overrides, "Spec");
}

function* typeRules(place: Cursor, type: string): Iterable<Problem> {
  if (!isGiven(place)) return;
  const inner = type.slice(0, -2);
  const fields = structures.get(type);
  if (type.endsWith("[]")) {
    yield* collectionRules(place, "list");
    for (const item of place.elements()) yield* typeRules(item, inner);
  } else if (fields !== undefined || type.endsWith("{}")) {
    yield* collectionRules(place, "map");
    for (const [key, value] of place.entries()) {
      const valueType = fields === undefined
        ? inner
        : fields.get(key.toLowerCase());
      if (valueType !== undefined) yield* typeRules(value, valueType);
    }
  } else yield* leafRules(place, type);
}

function* collectionRules(
  place: Cursor,
  kind: "list" | "map",
): Iterable<Problem> {
  if (place.node?.kind === kind) return;
  const wanted = kind === "list" ? "a list" : "a mapping";
  yield place.error(
    `${String(place.path.at(-1))} of the OCI runtime spec is not ${wanted}`,
    `Write ${wanted}`,
  );
}

function* leafRules(place: Cursor, type: string): Iterable<Problem> {
  const wanted = describeType(type);
  if (fits(place, type)) return;
  yield place.error(
    `${String(place.path.at(-1))} of the OCI runtime spec is ${
      place.text() === undefined ? "a collection" : `"${readText(place)}"`
    }, not ${wanted}`,
    type === "text" ? "Put the value in quotes" : `Write ${wanted}`,
  );
}

function fits({ node }: Cursor, type: string): boolean {
  if (node?.kind !== "scalar") return false;
  const truth = node.plain && truths.test(node.text);
  const number = node.plain && numbers.test(node.text);
  if (type === "text") return !truth && !number;
  if (type === "truth") return truth;
  return number && isWithin(node.text, type);
}

function isWithin(text: string, type: string): boolean {
  const bare = text.replaceAll("_", "").replace(/^\+/, "");
  // `1.0` and `1e3` are whole numbers too.
  const value = /^-?\d+$/.test(bare) ? bare : Number(bare);
  if (typeof value === "number" && !Number.isInteger(value)) return false;
  const [least, most] = limits(type);
  return BigInt(value) >= least && BigInt(value) <= most;
}

function limits(type: string): readonly [least: bigint, most: bigint] {
  const bits = BigInt(type.slice(1));
  return type.startsWith("u")
    ? [0n, 2n ** bits - 1n]
    : [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
}

function describeType(type: string): string {
  if (type === "text") return "a string";
  if (type === "truth") return "true or false";
  const [least, most] = limits(type);
  return `a whole number from ${least} to ${most}`;
}
