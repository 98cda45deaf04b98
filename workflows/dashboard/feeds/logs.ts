import { payload } from "../../../transport/call/payload.ts";
import { single } from "../../../transport/call/reply.ts";
import type { ContainerInfo } from "../../../transport/gen/machine_container.ts";
import {
  byContainerId,
  containerRuntime,
  readContainers,
} from "../../../transport/node/containers.ts";
import { isoTime } from "../../../transport/node/timestamp.ts";
import { followLines } from "../../../transport/stream/follow_lines.ts";
import { withoutTime } from "../../../transport/stream/kernel_messages.ts";
import { readBootId } from "../../../transport/stream/boot_id.ts";
import { plain } from "../../../terminal/terminal_text.ts";
import { type DashboardData, deadlineMs, type Feed } from "../feed.ts";
import { pollFeed } from "../source.ts";

/** The end of a log. */
export interface LogTail {
  /** Last lines, the newest last; the list grows in place. */
  readonly lines: readonly string[];
  /** Number of dropped lines before the first. */
  readonly dropped: number;
}

/** Name of the log of the kernel. */
export const kernelLog = "kernel";

const mostLines = 1_000;

const longestLine = 2_000;

const feeds = new Map<string, Feed<LogTail>>();

/**
 * Follows a log of a node.
 *
 * @param log Name of a service, {@linkcode kernelLog}, or id of a container.
 * @param kubernetes True for a container of Kubernetes; default false.
 */
export function logTail(log: string, kubernetes = false): Feed<LogTail> {
  const name = `${kubernetes ? "container " : ""}log ${log}`;
  const feed = feeds.get(name) ?? newLogTail(name, log, kubernetes);
  feeds.set(name, feed);
  return feed;
}

function newLogTail(
  name: string,
  log: string,
  kubernetes: boolean,
): Feed<LogTail> {
  return {
    name,
    isLarge: true,
    async *open({ client, signal, lost }) {
      const lines: string[] = [];
      let dropped = 0;
      // A log may be empty.
      yield { lines, dropped };
      const seen = followLines({
        signal,
        lost,
        bootId: readBootId(client),
        last: mostLines,
        ...log === kernelLog && { lineKey: withoutTime },
        read({ follow, last = -1, signal }) {
          const options = { signal };
          const messages = log === kernelLog
            ? client.machine.dmesg({ follow, tail: false }, options)
            : client.machine.logs({
              ...containerRuntime(kubernetes),
              id: log,
              follow,
              tailLines: last,
            }, options);
          return payload(messages);
        },
      });
      for await (const one of seen) {
        const text = one.kind === "item"
          ? plain(one.item.slice(0, longestLine))
          : `--- ${one.reason} ---`;
        lines.push(text);
        const tooMany = lines.length - mostLines;
        // In batches: each removal moves all other lines.
        if (tooMany >= mostLines / 4) {
          lines.splice(0, tooMany);
          dropped += tooMany;
        }
        yield { lines, dropped };
      }
    },
  };
}

/** A service of a node. */
export interface ServiceState {
  /** Name, also that of its log. */
  readonly id: string;
  /** `Running`, `Waiting` … */
  readonly state: string;
  /** Health; `undefined` if the service does not report it. */
  readonly isHealthy: boolean | undefined;
  /** Last message of its health check; may be empty. */
  readonly healthMessage?: string;
  /** Its events, oldest first. */
  readonly events?: readonly {
    /** `Running`, `Failed` … */
    readonly state: string;
    readonly message: string;
    /** ISO 8601. */
    readonly time: string;
  }[];
}

/** Services of a node, by name. */
export const services: Feed<readonly ServiceState[]> = pollFeed(
  "services",
  async ({ client }) => {
    const { messages } = await client.machine.serviceList({}, { deadlineMs });
    return single(messages).services
      .map(({ id, state, health, events }) => ({
        id,
        state,
        isHealthy: health === undefined || health.unknown
          ? undefined
          : health.healthy,
        healthMessage: health?.lastMessage ?? "",
        events: (events?.events ?? []).map(({ state, msg, ts }) => ({
          state,
          message: msg,
          time: isoTime(ts),
        })),
      }))
      .sort((a, b) => a.id < b.id ? -1 : 1);
  },
);

/** Containers of a node, those of Kubernetes first; without pods. */
export const containers: Feed<readonly ContainerInfo[]> = pollFeed(
  "containers",
  async ({ client }) => {
    const lists = await Promise.all(
      [true, false].map((kubernetes) =>
        readContainers(client, kubernetes, { deadlineMs })
      ),
    );
    return lists.flatMap((list) => list.toSorted(byContainerId))
      .filter(({ id, podId, namespace }) =>
        namespace !== containerRuntime(true).namespace || id !== podId
      );
  },
);

/** Names of the logs of a node: the kernel, then its services. */
export function logNames(data: DashboardData, node: string): readonly string[] {
  const known = data.of(node, services).value ?? [];
  return [kernelLog, ...known.map(({ id }) => id)];
}
