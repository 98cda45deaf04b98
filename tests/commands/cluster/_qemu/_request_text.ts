/** Virtual machines of a command line as text: nothing is created. */

import {
  type FactoryInputs,
  factoryInputs,
  factoryRequest,
} from "../../../../commands/cluster/_qemu/factory.ts";
import {
  type FullInputs,
  fullInputs,
} from "../../../../commands/cluster/_qemu/inputs.ts";
import {
  type PreparedVms,
  prepareVms,
} from "../../../../commands/cluster/_qemu/prepare.ts";
import {
  parseRequest,
  type QemuRequest,
} from "../../../../commands/cluster/_qemu/request.ts";
import {
  type AnyInputs,
  listFlags,
  parseValues,
  sortWords,
} from "../../../../commands/_kit/parse.ts";
import type { Context } from "../../../../commands/_kit/mod.ts";
import {
  programFor,
  qemuArguments,
} from "../../../../provisioners/qemu/arguments.ts";
import {
  makeCluster,
  makeState,
} from "../../../../provisioners/qemu/new_cluster.ts";
import { disturbance, rules } from "../../../../provisioners/qemu/network.ts";
import { findLease } from "../../../../provisioners/qemu/servers/helpers.ts";

export async function build(words: readonly string[]): Promise<string> {
  // Parsed inputs have the types of the declarations.
  const input = await parse(fullInputs, words) as unknown as FullInputs;
  return await text(parseRequest(input, "/home/.os"));
}

/** The same for `cluster create qemu`. */
export async function makeFromFactory(
  words: readonly string[],
): Promise<string> {
  const given = await parse(factoryInputs, words) as unknown as FactoryInputs;
  let url: string | undefined;
  const request = factoryRequest(given, "/cache", (asked) => {
    url = asked;
    return Promise.resolve();
  });
  await request.download?.();
  const { osconfig, hardware, diskImage } = request;
  return [
    `asset: ${
      JSON.stringify({ url, boot: hardware.boot, diskImage, osconfig })
    }`,
    await text(request),
  ].join("\n");
}

async function parse(inputs: AnyInputs, words: readonly string[]) {
  const sorted = sortWords(words, listFlags(inputs));
  return await parseValues(inputs, sorted, () => Promise.resolve(""));
}

async function text(request: QemuRequest): Promise<string> {
  const environment = {
    env: (name: string) => name === "HOME" ? "/home" : undefined,
    now: () => new Date("2026-01-01T00:00:00Z"),
  };
  // Nothing else of it is asked for.
  const context = { environment } as unknown as Context<unknown>;
  return describeRequest(await prepareVms(request, context));
}

function describeRequest({ place, spec, bringUp }: PreparedVms): string {
  const { configurations, access, wishes: _, ...rest } = spec;
  const firmware = spec.hasUefi || spec.hardware.architecture === "arm64"
    ? { code: "/code", variables: "/variables", isSecureBoot: false }
    : undefined;
  const cluster = makeCluster(place, spec, { accelerator: "tcg", firmware });
  const start = { accelerator: "tcg", isInstalled: false, network: false };
  const options = { osconfig: "", waitMs: 0 } as Parameters<
    typeof makeState
  >[2];
  const { network } = cluster;
  return [
    ...cluster.machines.flatMap((machine, at) => [
      `${programFor(machine)} ${
        qemuArguments(machine, { ...start, accelerator: "tcg" }).join(" ")
      }`,
      `lease: ${JSON.stringify(findLease(cluster, at))}`,
      `${machine.type}:\n${configurations.get(machine.name)}`,
    ]),
    rules(network),
    `tc ${network.chaos && disturbance(network.chaos)?.join(" ")}`,
    `cni: ${JSON.stringify(network.cni)}`,
    `state: ${place.state} ${JSON.stringify(makeState(place, spec, options))}`,
    `servers: ${Object.keys(cluster)} ${cluster.hasJsonLogs}`,
    `endpoints: ${access.endpoints}; nodes: ${access.nodes}`,
    `spec: ${JSON.stringify(rest)}`,
    `bring up: ${
      JSON.stringify({
        ...bringUp,
        kubernetes: { ...bringUp.kubernetes, access: "" },
      })
    }`,
  ].join("\n");
}
