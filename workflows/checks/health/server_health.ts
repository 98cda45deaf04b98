import { formatFirst } from "../../../lib/text/count.ts";
import { OsctlError, RpcError, TimeoutError } from "../../../errors.ts";
import type { NodeClient } from "../../../transport/call/client.ts";
import { replyError, single } from "../../../transport/call/reply.ts";
import { EtcdMemberAlarm_AlarmType as AlarmType } from "../../../transport/gen/machine_etcd.ts";
import { enumName } from "../../../transport/node/enum_name.ts";
import { alarmText } from "../../etcd/quorum.ts";
import { readableStatus } from "../../../transport/connect/status_text.ts";
import type { NamedNodes } from "./health_context.ts";
import type { HealthRow, HealthWait } from "./run_health.ts";

interface ServerQuestion extends NamedNodes {
  /** Kubernetes API of the node; empty for its default. */
  readonly endpoint: string;
}

/** Grace period for the node to time out by itself, in milliseconds. */
const graceMs = 15_000;

/**
 * Waits on a node for a healthy cluster.
 *
 * Progress arrives as text with start and end markers of the node. Source: `ClusterService.HealthCheck`.
 *
 * @returns One row for each condition the node has checked.
 * @throws {TimeoutError} After the last row, when the node timed out.
 * @throws {OsctlError} After the last row, when etcd has an alarm.
 * @throws {RpcError} Other errors of the node.
 */
export async function* serverHealth(
  client: NodeClient,
  question: ServerQuestion,
  wait: HealthWait,
): AsyncGenerator<HealthRow> {
  const { clock, report } = wait;
  const begunAt = clock.now();
  // The node itself does not check them.
  const alarms = await listAlarms(client);
  const alarm = { check: "etcd to have no alarms", reason: alarmText(alarms) };
  if (alarms.length > 0) yield { ...alarm, state: "failed", took: 0 };
  let open: Open | undefined;
  const ended = (state: HealthRow["state"], reason: string): HealthRow => {
    const { check = "", startedAt = clock.now() } = open ?? {};
    const took = Math.round((clock.now() - startedAt) / 100) / 10;
    return { check, state, reason, took };
  };
  try {
    for await (const message of healthRequest(client, question, wait)) {
      const failure = replyError(message);
      if (failure !== undefined) throw failure;
      const line = lineIn(message.message);
      if (line === undefined) {
        report("", shortenList(message.message));
        continue;
      }
      const { check, text } = line;
      const startedAt = open?.check === check ? open.startedAt : clock.now();
      open = { check, missing: text, startedAt };
      if (text === "OK") yield ended("ok", "");
      else if (text === "SKIP") yield ended("skipped", "the node skips it");
      else report(check, text);
      if (text === "OK" || text === "SKIP") open = undefined;
    }
  } catch (error) {
    if (open !== undefined) yield ended("failed", open.missing);
    throw explainError(error, open, { ...wait, begunAt });
  }
  if (alarms.length === 0) return;
  throw new OsctlError(`Failed waiting for ${alarm.check}: ${alarm.reason}`);
}

/** Timeout for the alarms, in milliseconds. */
const alarmsMs = 5_000;

/** Names of the etcd alarms that a node reports; none if it does not report any in time. */
async function listAlarms({ machine }: NodeClient): Promise<readonly string[]> {
  try {
    const { messages } = await machine.etcdAlarmList({}, {
      deadlineMs: alarmsMs,
    });
    return single(messages).memberAlarms
      .filter(({ alarm }) => alarm !== AlarmType.NONE)
      .map(({ alarm }) => enumName(AlarmType, alarm));
  } catch (error) {
    if (error instanceof OsctlError) return [];
    throw error;
  }
}

interface Open {
  readonly check: string;
  readonly missing: string;
  readonly startedAt: number;
}

function healthRequest(
  { cluster }: NodeClient,
  { controlPlanes, workers, endpoint }: ServerQuestion,
  { timeoutMs }: HealthWait,
) {
  const seconds = BigInt(Math.floor(timeoutMs / 1_000));
  const nanos = Math.floor(timeoutMs % 1_000) * 1e6;
  return cluster.healthCheck({
    waitTimeout: { seconds, nanos },
    clusterInfo: {
      controlPlaneNodes: [...controlPlanes],
      workerNodes: [...workers],
      forceEndpoint: endpoint,
    },
  }, { deadlineMs: timeoutMs + graceMs });
}

function lineIn(
  message: string,
): { readonly check: string; readonly text: string } | undefined {
  const [, check, text] = /^waiting for (.+?): (.*)$/s.exec(message) ?? [];
  return check === undefined || text === undefined
    ? undefined
    : { check, text: readableStatus(text).message };
}

/** Shortens a list of nodes: `discovered nodes: c1, c2, c3, and 497 more`. */
function shortenList(message: string): string {
  return message.replace(
    /\[(.+)\]$/,
    (_, list: string) => formatFirst(list.replaceAll('"', "").split(" ")),
  );
}

function explainError(
  error: unknown,
  open: Open | undefined,
  { clock, timeoutMs, begunAt }: HealthWait & {
    readonly begunAt: number;
  },
): unknown {
  if (!(error instanceof RpcError)) return error;
  if (error.code === "UNIMPLEMENTED") {
    return new RpcError(error.code, error.message, {
      hint: "Check from this machine with --server=false",
      cause: error,
    });
  }
  if (error.code !== "DEADLINE_EXCEEDED" || open === undefined) return error;
  const now = clock.now();
  // Nodes have shorter timeouts for some conditions.
  const isAll = now - begunAt >= timeoutMs;
  const took = isAll ? timeoutMs : now - open.startedAt;
  return new TimeoutError(
    `Timed out after ${
      Math.round(took / 1_000)
    } s waiting for ${open.check}: ${open.missing}`,
    { cause: error },
  );
}
