/** Runtime events: `Events`. */

import { RpcError } from "../../errors.ts";
import type { EventsRequest } from "../../transport/gen/machine.ts";
import { eventTime, type NodeEvents } from "../state/events.ts";
import type { MachineHandlers } from "./handlers.ts";
import { readUntilShutdown } from "../node/shutdown_streams.ts";
import { overrun } from "../wire/history_buffer.ts";

/** `Events`; the first one is empty and confirms that the stream is open. */
export const events: MachineHandlers = {
  async *events(request, { node, signal }) {
    const { withActorId } = request;
    yield {
      id: node.boot.events.helloId(),
      data: { typeUrl: "", value: new Uint8Array() },
      actorId: withActorId,
    };
    const from = findStart(node.boot.events, request, node.clock.now());
    const reading = { follow: true, signal };
    for await (
      const event of readUntilShutdown(node, node.boot.events, from, reading)
    ) {
      if (event === overrun) return;
      const { id, actorId, typeUrl, payload } = event;
      if (withActorId !== "" && withActorId !== actorId) continue;
      yield { id, actorId, data: { typeUrl, value: payload() } };
    }
  },
};

function findStart(
  events: NodeEvents,
  { tailEvents, tailId, tailSeconds }: EventsRequest,
  now: number,
): number {
  checkTail({ tailEvents, tailId, tailSeconds });
  if (tailEvents < 0) return events.first();
  if (tailEvents > 0) {
    return Math.max(events.end() - tailEvents, events.first());
  }
  if (tailId !== "") return firstWhere(events, ({ id }) => id > tailId);
  if (tailSeconds > 0) {
    // Event IDs contain whole seconds, which nodes compare.
    const since = now - tailSeconds * 1000;
    return firstWhere(
      events,
      ({ time }) => Math.floor(time / 1000) * 1000 > since,
    );
  }
  return events.end();
}

function checkTail(
  { tailEvents, tailId, tailSeconds }: Pick<
    EventsRequest,
    "tailEvents" | "tailId" | "tailSeconds"
  >,
): void {
  if (tailId !== "" && eventTime(tailId) === undefined) {
    throw new RpcError("UNKNOWN", "error parsing tail_id: xid: invalid ID");
  }
  if (tailSeconds !== 0 && (tailEvents !== 0 || tailId !== "")) {
    throw exclusive("WithTailDuration", "WithTailEvents or WithTailID");
  }
  if (tailEvents !== 0 && tailId !== "") {
    throw exclusive("WithTailID", "WithTailEvents or WithTailDuration");
  }
}

function exclusive(option: string, others: string): RpcError {
  return new RpcError(
    "UNKNOWN",
    `${option} can't be specified at the same time with ${others}`,
  );
}

function firstWhere(
  events: NodeEvents,
  isWanted: (event: ReturnType<NodeEvents["at"]>) => boolean,
): number {
  let position = events.first();
  while (position < events.end() && !isWanted(events.at(position))) position++;
  return position;
}
