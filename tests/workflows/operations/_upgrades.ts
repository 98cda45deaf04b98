/** A fake node that can be given another system, in either way, and what was done to it. */

import { RpcError } from "../../../errors.ts";
import type { FakeNode } from "../../_fake.ts";
import { type FakeSystem, systemHandlers } from "./_system.ts";

export interface Mishaps {
  /** The stream of the installer breaks off; the installer continues. */
  readonly outOfSight?: boolean;
  /** Exit status of the installer, default 0. */
  readonly exitCode?: number;
  /** The new system does not start, and the boot loader goes back. */
  readonly rollsBack?: boolean;
  /** A reboot is taken and never happens. */
  readonly staysUp?: boolean;
  /** The log may not be read. */
  readonly silent?: boolean;
  /** There is no call that only installs. */
  readonly old?: boolean;
}

/** The node. */
export interface Upgradable {
  readonly node: FakeNode;
  readonly sent: string[];
  readonly requests: Record<string, unknown>;
  readonly boot: () => number;
  /** Lets the installer that is out of sight end. */
  readonly endInstaller: () => void;
}

/**
 * Makes the node.
 *
 * @param first The system it runs.
 * @param mishaps What goes wrong.
 */
export function upgradable(
  first: FakeSystem,
  mishaps: Mishaps = {},
): Upgradable {
  const { exitCode = 0 } = mishaps;
  const sent: string[] = [];
  const requests: Record<string, unknown> = {};
  let boot = 1;
  let system = first;
  let next = first;
  let log: string[] = [];
  let isAtWork = false;

  const lines = (text: string) => ({ bytes: new TextEncoder().encode(text) });
  const note = (request: string, value: unknown) => {
    sent.push(request);
    requests[request] = value;
  };
  const say = (fields: object) =>
    log.push(
      `2026-01-02T03:04:05Z INFO x ${
        JSON.stringify({ service: "lifecycle", ...fields })
      }`,
    );

  function put(image: string): void {
    const [path = "", version = ""] = image.split(/:(?=[^/]*$)/);
    const schematic = /[0-9a-f]{64}$/.exec(path)?.[0];
    const { schematic: _, ...others } = system;
    next = { ...others, version, ...schematic ? { schematic } : {} };
  }

  function restart(): void {
    if (mishaps.staysUp) return;
    boot++;
    log = [];
    isAtWork = false;
    if (!mishaps.rollsBack) system = next;
  }

  function endInstaller(): void {
    isAtWork = false;
    say({ exit_code: exitCode });
  }

  async function* install(imageName: string) {
    note("install", imageName);
    if (mishaps.old) throw new RpcError("UNIMPLEMENTED", "unknown service");
    say({ installer_image: imageName, disk: "/dev/vda" });
    say({ message: "writing\n" });
    isAtWork = true;
    yield await Promise.resolve({
      progress: { response: { $case: "message", value: "writing\n" } },
    });
    if (exitCode === 0) put(imageName);
    if (mishaps.outOfSight) throw new RpcError("UNAVAILABLE", "stream broke");
    if (exitCode !== 0) {
      yield {
        progress: {
          response: { $case: "message", value: "Error: no room\nUsage:\n" },
        },
      };
    }
    endInstaller();
    yield { progress: { response: { $case: "exitCode", value: exitCode } } };
  }

  const node: FakeNode = {
    ...systemHandlers(() => system),
    async *read({ path }) {
      await Promise.resolve();
      if (!path.endsWith("boot_id")) {
        throw new RpcError("UNKNOWN", "no such file");
      }
      yield lines(`${boot}\n`);
    },
    async *logs({ id }) {
      await Promise.resolve();
      if (mishaps.silent) throw new RpcError("NOT_FOUND", `no log ${id}`);
      yield lines(`starting\n${log.map((line) => `${line}\n`).join("")}`);
    },
    async *dmesg() {
      yield await Promise.resolve(lines("kernel line\n"));
    },
    processes: () => ({
      messages: [{
        processes: isAtWork
          ? [{ args: "/bin/installer install --disk=/dev/vda" }]
          : [{ args: "/sbin/init" }],
      }],
    }),
    async *pull(request) {
      note("pull", request);
      yield await Promise.resolve({
        response: { $case: "name", value: request.imageRef },
      });
    },
    upgrade(request) {
      if ("source" in request) return install(request.source.imageName);
      note("upgrade", request);
      put(request.image);
      restart();
      return { messages: [{ ack: "Upgrade request received", actorId: "x" }] };
    },
    reboot(request) {
      note("reboot", request);
      restart();
      return { messages: [{ actorId: "y" }] };
    },
  };
  return { node, sent, requests, boot: () => boot, endInstaller };
}
