import { OsctlError } from "../../../errors.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import type { ContainerInfo } from "../../../transport/gen/machine.ts";
import {
  containerRuntime,
  readContainers,
} from "../../../transport/node/containers.ts";
import type { Operation, Reconciled } from "../operation.ts";
import { type LookResult, untilSeen } from "../poll.ts";

type RestartInput = {
  /** Id as in `osctl containers`; the hash of a Kubernetes container may be shortened or omitted. */
  readonly id: string;
  readonly kubernetes: boolean;
};

type RestartKey = {
  /** Full id of the container or pod sandbox. */
  readonly id: string;
  /** Pod of the container; its own id if it has none. */
  readonly podId: string;
  readonly name: string;
  /** Pid of the process to stop. */
  readonly pid: number;
};

/** `restart`. Source: `MachineService.Restart`, `MachineService.Containers`. */
export const restart: Operation<RestartInput, RestartKey, RestartKey> = {
  name: "restart",
  effect: "disrupt",
  idempotency: "keyed",
  quorum: ({ id, kubernetes }) =>
    id === "etcd" && !kubernetes ? "leaves-temporarily" : "none",
  observe: ({ client }, input) => find(client, input),
  plan: ({ name }) => [{ action: `restart ${name}` }],
  key: (seen) => seen,
  async *apply({ client }, input, { id }) {
    yield { text: `restarting "${id}"` };
    const request = { id, ...containerRuntime(input.kubernetes) };
    await client.machine.restart(request, { deadlineMs: 30_000 });
  },
  async reconcile({ client }, input, key): Promise<Reconciled> {
    const states = await readStates(client, input, key);
    if (states.some(({ isNew }) => isNew)) return "done";
    return states.some(({ isOld }) => isOld) ? "not-started" : "in-progress";
  },
  verify: (context, input, key) =>
    untilSeen(context, async () => {
      const states = await readStates(context.client, input, key);
      return judge(states, key);
    }),
};

/** Timeout for listing containers, in milliseconds. */
const deadlineMs = 10_000;

async function find(
  client: Pick<NodeClient, "machine">,
  input: RestartInput,
): Promise<RestartKey> {
  const found = (await readContainers(client, input.kubernetes, { deadlineMs }))
    .filter((one) => isNamed(one, input.id));
  // Exited ones are listed, too; stopping them has no effect.
  const container = found.find(isRunning) ?? found[0];
  if (container === undefined) {
    const more = input.kubernetes ? " --kubernetes" : "";
    throw new OsctlError(`Cannot restart "${input.id}": no such container`, {
      hint: `List them with: osctl containers${more}`,
    });
  }
  const { id, podId, name, pid } = container;
  return { id, podId, name, pid };
}

/** Matches by id, or as nodes do: `namespace/pod:container`, optionally with a prefix of the hash. */
function isNamed(
  { id, podId, name, internalId }: ContainerInfo,
  text: string,
): boolean {
  const [pod, container, part = ""] = text.split(":");
  return id === text ||
    podId === pod && name === container && internalId.includes(part);
}

function isRunning({ pid, status }: ContainerInfo): boolean {
  return pid !== 0 && /RUNNING$|_READY$/.test(status);
}

interface ProcessState {
  readonly isOld: boolean;
  readonly isNew: boolean;
  readonly pid: number;
}

/** Finds all running and exited containers of the name: a restarted one in a pod has a new id. */
async function readStates(
  client: Pick<NodeClient, "machine">,
  input: RestartInput,
  { podId, name, pid: old }: RestartKey,
): Promise<readonly ProcessState[]> {
  const containers = await readContainers(client, input.kubernetes, {
    deadlineMs,
  });
  return containers
    .filter((one) => one.podId === podId && one.name === name)
    .filter(isRunning)
    .map(({ pid }) => ({ pid, isOld: pid === old, isNew: pid !== old }));
}

function judge(
  states: readonly ProcessState[],
  { pid }: RestartKey,
): LookResult {
  const next = states.find(({ isNew }) => isNew);
  if (next !== undefined) {
    const reason = `process ${next.pid} replaced ${pid}`;
    return { verdict: { outcome: "done", reason } };
  }
  return states.some(({ isOld }) => isOld)
    ? { missing: `process ${pid} has not exited yet` }
    : { missing: `process ${pid} has exited, and no new one is running yet` };
}
