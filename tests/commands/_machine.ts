/** A fake node that reboots, and an endpoint that knows it. */

import { eventTypePrefix } from "../../talos.ts";
import {
  SequenceEvent,
  SequenceEvent_Action,
} from "../../transport/gen/machine_events.ts";
import type { FakeNode } from "../_fake.ts";

/** A node and what was asked of it. */
export interface FakeMachine {
  readonly node: FakeNode;
  /** Requests of changing calls, by method. */
  readonly asked: Record<string, unknown[]>;
}

/**
 * Makes a node that is ready, and in another boot after a reboot.
 *
 * @param handlers More of them, or others.
 */
export function machine(handlers: FakeNode = {}): FakeMachine {
  const asked: Record<string, unknown[]> = {};
  let boot = 1;
  const status = { stage: "running", status: { ready: true } };
  return {
    asked,
    node: {
      async *read() {
        yield await Promise.resolve({
          bytes: new TextEncoder().encode(`boot-${boot}\n`),
        });
      },
      get: () => ({ resource: { spec: { yamlSpec: JSON.stringify(status) } } }),
      version: () => ({ messages: [{ version: { tag: "v1.12.1" } }] }),
      reboot(request) {
        (asked.reboot ??= []).push(request);
        boot++;
        return { messages: [{ actorId: "actor" }] };
      },
      ...handlers,
    },
  };
}

/**
 * Makes the endpoint's answer to who is in the cluster.
 *
 * @param roles Role by node.
 */
export function members(
  roles: Readonly<Record<string, "controlplane" | "worker">>,
): FakeNode {
  return {
    async *list() {
      for (const [address, machineType] of Object.entries(roles)) {
        const spec = { addresses: [address], hostname: address, machineType };
        yield await Promise.resolve({
          resource: { spec: { yamlSpec: JSON.stringify(spec) } },
        });
      }
    },
  };
}

/** The events of a node that begins what an actor asks for. */
export function beginning(actorId: string) {
  const value = SequenceEvent.encode(
    SequenceEvent.fromPartial({ action: SequenceEvent_Action.START }),
  ).finish();
  const typeUrl = `${eventTypePrefix}machine.SequenceEvent`;
  return async function* () {
    const event = { id: "1", actorId, data: { typeUrl, value } };
    yield await Promise.resolve(event);
  };
}
