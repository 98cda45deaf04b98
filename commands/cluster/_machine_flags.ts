/** Flags for the machines of a local cluster: sizes, ports and mounts. */

import { canonicalAddress } from "../../lib/ip.ts";
import { UsageError } from "../../errors.ts";
import type {
  ContainerMount,
  PortMapping,
} from "../../provisioners/docker/spec.ts";
import { type Flag, InputProblem, text } from "../_kit/mod.ts";

/** Flags for machine sizes. */
export const machineSizes = {
  cpusControlplanes: processors("CPUs of each control plane"),
  cpusWorkers: processors("CPUs of each worker"),
  memoryControlplanes: memory("memory of each control plane"),
  memoryWorkers: memory("memory of each worker"),
};

/** A flag for CPUs: a decimal number, or a fraction such as `1/2`; the value is in billionths. */
function processors(summary: string): Flag<number> {
  return {
    ...text(summary, { shown: "2.0" }),
    initial: 2e9,
    parse(value) {
      const [, over, under = "1"] = /^(\d+(?:\.\d+)?)(?:\/(\d+))?$/
        .exec(value) ?? [];
      // Decimal fractions are not exact: 0.29 times a billion is a little less.
      const exact = Number(over) * 1e9 / Number(under);
      const share = Math.round(exact);
      if (share > 0 && Math.abs(exact - share) < 1e-3) return share;
      throw new InputProblem("must be a number of CPUs such as 2.0 or 0.5");
    },
  };
}

/** A flag for a memory size; the value is in bytes. */
function memory(summary: string): Flag<number> {
  return {
    ...text(summary, { shown: "2.0GiB" }),
    initial: 2 * 1024 ** 3,
    parse(value) {
      const bytes = parseBytes(value);
      if (bytes !== undefined) return bytes;
      throw new InputProblem(
        "must be a size such as 2GiB or 2048MB; a number alone is in MiB",
      );
    },
  };
}

const unitBytes: Readonly<Record<string, number>> = {
  b: 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
  ti: 2 ** 40,
};

/**
 * Parses a memory or disk size.
 *
 * @param value Number and unit, such as `2.0GiB` or `512mb`; MiB without a unit.
 * @returns Bytes; `undefined` if invalid.
 */
export function parseBytes(value: string): number | undefined {
  const [, number, given = ""] = /^(\d[\d,]*(?:\.\d+)?)\s*([a-z]*)$/i.exec(
    value.trim(),
  ) ?? [];
  const unit = given === ""
    ? "mi"
    : given.toLowerCase().replace(/(?<=.)b$/, "");
  const bytes = Math.floor(
    Number(number?.replaceAll(",", "")) * (unitBytes[unit] ?? NaN),
  );
  return bytes > 0 ? bytes : undefined;
}

/**
 * Parses container ports to publish on this machine.
 *
 * @param value `[ip:]host:container/protocol`, separated by commas.
 * @param hostIp Default host address.
 * @throws {UsageError} If one of them is invalid.
 */
export function exposedPorts(
  value: string,
  hostIp: string,
): readonly PortMapping[] {
  if (value === "") return [];
  return value.split(",").map((one) => {
    const match = /^(?:(.+):)?(\d+):(\d+)\/(tcp|udp)$/.exec(one.trim());
    const [, ip = hostIp, host, container, protocol] = match ?? [];
    const [hostPort, containerPort] = [Number(host), Number(container)];
    const fits = [hostPort, containerPort].every((port) =>
      port >= 1 && port <= 65_535
    );
    if (match === null || !fits || canonicalAddress(ip) === undefined) {
      throw new UsageError(`Invalid value "${one}" for --exposed-ports`, {
        hint: "Give [ip:]host:container/tcp or /udp, such as 8080:80/tcp",
      });
    }
    return {
      hostIp: ip.replace(/^\[|\]$/g, ""),
      hostPort,
      containerPort,
      protocol: protocol === "udp" ? "udp" : "tcp",
    };
  });
}

const mountKinds = ["bind", "volume", "tmpfs"] as const;

/**
 * Parses a mount in the syntax of container engines.
 *
 * @param value Pairs such as `type=bind,source=/a,target=/b,readonly`.
 * @throws {UsageError} If it is invalid, or has no target.
 */
export function parseMount(value: string): ContainerMount {
  const wrong = (problem: string) =>
    new UsageError(`Invalid value "${value}" for --mount: ${problem}`, {
      hint: "Give type=bind,source=/path,target=/path[,readonly]",
    });
  let [type, source, target, readOnly]: [string, string, string, boolean] = [
    "volume",
    "",
    "",
    false,
  ];
  let propagation: string | undefined;
  let size: number | undefined;
  for (const pair of value.split(",")) {
    const [key = "", setting = "true"] = pair.split(/=(.*)/s);
    switch (key.trim().toLowerCase()) {
      case "type":
        type = setting;
        break;
      case "source":
      case "src":
        source = setting;
        break;
      case "target":
      case "dst":
      case "destination":
        target = setting;
        break;
      case "readonly":
      case "ro":
        readOnly = setting === "true" || setting === "1";
        break;
      case "bind-propagation":
        propagation = setting;
        break;
      case "tmpfs-size":
        size = parseBytes(setting);
        if (size === undefined) throw wrong(`"${setting}" is not a size`);
        break;
      default:
        throw wrong(`"${key}" is not known`);
    }
  }
  const kind = mountKinds.find((one) => one === type);
  if (kind === undefined) throw wrong(`type "${type}" is not known`);
  if (!target.startsWith("/")) throw wrong("it needs an absolute target");
  if (kind === "bind" && !source.startsWith("/")) {
    throw wrong("a bind mount needs an absolute source");
  }
  return {
    Type: kind,
    Source: source,
    Target: target,
    ReadOnly: readOnly,
    ...propagation === undefined
      ? {}
      // Validated by the container engine.
      : { BindOptions: { Propagation: propagation as "rprivate" } },
    ...size === undefined
      ? {}
      : { TmpfsOptions: { SizeBytes: size, Mode: 0o1777 } },
  };
}
