/** Flags for the machines of a local cluster: sizes, ports and mounts as people write them. */

import { UsageError } from "../../errors.ts";
import type {
  ContainerMount,
  PortMapping,
} from "../../provisioners/docker/spec.ts";
import { text } from "../_kit/mod.ts";

/** Flags for processors and memory. */
export const machineSizes = {
  cpusControlplanes: text("CPUs of each control plane", {
    initial: "2.0",
  }),
  cpusWorkers: text("CPUs of each worker", { initial: "2.0" }),
  memoryControlplanes: text("memory of each control plane", {
    initial: "2.0GiB",
  }),
  memoryWorkers: text("memory of each worker", { initial: "2.0GiB" }),
};

/**
 * Reads a share of processors.
 *
 * @param value Decimal number, or a fraction such as `1/2`.
 * @param flag Name of the flag, for errors.
 * @returns Billionths of a processor.
 * @throws {UsageError} If it is none, or finer than a billionth.
 */
export function cpuShare(value: string, flag: string): number {
  const [, over, under = "1"] = /^(\d+(?:\.\d+)?)(?:\/(\d+))?$/.exec(value) ??
    [];
  const share = over === undefined
    ? NaN
    : Number(over) * 1_000_000_000 / Number(under);
  if (Number.isInteger(share) && share > 0) return share;
  throw new UsageError(`Invalid value "${value}" for ${flag}`, {
    hint: "Give a number of CPUs such as 2.0 or 0.5",
  });
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
 * Reads a size of memory or of a disk.
 *
 * @param value Number and unit, such as `2.0GiB` or `512mb`; without a unit MiB.
 * @returns Bytes; `undefined` if it is none.
 */
export function bytesOf(value: string): number | undefined {
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
 * Reads the size that a flag has; see {@linkcode bytesOf}.
 *
 * @param flag Name of the flag, for errors.
 * @throws {UsageError} If it is none.
 */
export function memorySize(value: string, flag: string): number {
  const bytes = bytesOf(value);
  if (bytes !== undefined) return bytes;
  throw new UsageError(`Invalid value "${value}" for ${flag}`, {
    hint: "Give a size such as 2.0GiB or 2048MB",
  });
}

/**
 * Reads ports of containers that this machine has, too.
 *
 * @param value `[ip:]host:container/protocol`, separated by commas.
 * @param hostIp Address for those that name none.
 * @throws {UsageError} If one of them is wrong.
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
    if (match === null || !fits || !isAddress(ip)) {
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

function isAddress(text: string): boolean {
  return /^\d+(\.\d+){3}$/.test(text) || /^\[?[0-9a-f:]+\]?$/i.test(text);
}

const mountKinds = ["bind", "volume", "tmpfs"] as const;

/**
 * Reads a mount in the syntax of container engines.
 *
 * @param value Pairs such as `type=bind,source=/a,target=/b,readonly`.
 * @throws {UsageError} If it is none, or has no target.
 */
export function mountOf(value: string): ContainerMount {
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
        size = memorySize(setting, "--mount");
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
      // The engine checks which there are.
      : { BindOptions: { Propagation: propagation as "rprivate" } },
    ...size === undefined
      ? {}
      : { TmpfsOptions: { SizeBytes: size, Mode: 0o1777 } },
  };
}
