import { busySeconds } from "./activity.ts";
import { kubernetesContainers } from "./containers.ts";
import type { ProcessInfo } from "../../transport/gen/machine.ts";
import type { SimulatedNode } from "../state/node.ts";
import { findPid, serviceFacts } from "./system_services.ts";

/** Processes of a node by process id. */
export function listProcesses(node: SimulatedNode): readonly ProcessInfo[] {
  const services = [...node.boot.services.values()].flatMap(({ id, state }) =>
    state === "Running" && id !== "machined" ? serviceProcess(node, id) : []
  );
  const containers = kubernetesContainers(node)
    .map(({ name, pid, cpu, memory, status }) => {
      const isSandbox = status === "SANDBOX_READY";
      return userProcess({
        pid,
        command: isSandbox ? "pause" : name,
        executable: isSandbox ? "/pause" : `/usr/local/bin/${name}`,
        args: isSandbox ? "/pause" : name,
        cpuTime: cpu / 1e9,
        memory,
        label: "system_u:system_r:pod_p:s0",
      });
    });
  const installers = installerProcess(node);
  return [
    init(node),
    ...kernelThreads,
    ...services,
    ...containers,
    ...installers,
  ]
    .sort((a, b) => a.pid - b.pid);
}

function installerProcess(
  { boot: { installer } }: SimulatedNode,
): readonly ProcessInfo[] {
  if (!installer) return [];
  return [userProcess({
    pid: 9100,
    command: "installer",
    executable: "/bin/installer",
    args: installer,
    cpuTime: 1.2,
    memory: 71_303_168,
    label: "system_u:system_r:installer_t:s0",
  })];
}

function init(
  { clock, boot: { startedAt } }: SimulatedNode,
): ProcessInfo {
  const cpuTime = (clock.now() - startedAt) / 1000 * 0.01 + 2.31;
  return {
    ...userProcess({
      pid: 1,
      command: "init",
      executable: "/sbin/init",
      args: "/sbin/init",
      cpuTime,
      memory: 89_128_960,
      label: "system_u:system_r:init_t:s0",
    }),
    ppid: 0,
  };
}

const kernelThreads: readonly ProcessInfo[] = [
  "kthreadd",
  "ksoftirqd/0",
  "rcu_preempt",
  "kworker/0:1-events",
  "kswapd0",
].map((command, index) => ({
  pid: index + 2,
  ppid: index === 0 ? 0 : 2,
  state: index === 3 ? "I" : "S",
  threads: 1,
  cpuTime: 0.01 * index,
  virtualMemory: 0n,
  residentMemory: 0n,
  command,
  executable: "",
  args: "",
  label: "system_u:system_r:kernel_t:s0",
}));

function serviceProcess(
  node: SimulatedNode,
  id: string,
): readonly ProcessInfo[] {
  const started = serviceFacts[id]?.started(0) ?? "";
  const words = started.match(/"[^"]*"/g)?.map((word) => word.slice(1, -1));
  if (!words && !started.startsWith("Started task")) return []; // part of init
  const [executable = `/${id}`, ...rest] = words ?? [`/usr/local/bin/${id}`];
  return [userProcess({
    pid: findPid(node, id),
    command: executable.slice(executable.lastIndexOf("/") + 1).slice(0, 15),
    executable,
    args: [executable, ...rest].join(" "),
    cpuTime: 4.7 + 0.004 * busySeconds(node),
    memory: 52_428_800,
    label: `system_u:system_r:${words ? "sys_containerd_t" : id}:s0`,
  })];
}

function userProcess(
  { memory, ...facts }:
    & Pick<
      ProcessInfo,
      "pid" | "command" | "executable" | "args" | "cpuTime" | "label"
    >
    & { readonly memory: number },
): ProcessInfo {
  return {
    ...facts,
    ppid: 1,
    state: "S",
    threads: 12,
    virtualMemory: BigInt(memory) * 24n,
    residentMemory: BigInt(memory),
  };
}
