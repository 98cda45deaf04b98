/** Parts of `machine` about the node itself: files, time, disks, devices, logs, kernel. */

import {
  assignment,
  diskSize,
  duration,
  fileMode,
  openText,
  string,
  url,
  words,
} from "../scalars/scalars.ts";
import type { StructShape } from "../schema.ts";
import { free, list, map, struct } from "../shapes.ts";
import { flag } from "./flag.ts";

const partition: StructShape = struct({
  size: {
    shape: diskSize,
    summary: "Size; the last partition may take what is left",
  },
  mountpoint: { shape: openText, summary: "Folder it is mounted at" },
});

/** One of `disks`; a document of its own has taken over. */
export const disk: StructShape = struct({
  device: { shape: openText, summary: "Disk that is partitioned" },
  partitions: { shape: list(partition), summary: "Its partitions, in order" },
});

/** One of `files`. */
export const file: StructShape = struct({
  content: {
    shape: string,
    always: true,
    summary: "What is in the file",
    examples: [{ value: "server = 192.0.2.53\n" }],
  },
  permissions: {
    shape: fileMode,
    always: true,
    summary: "Permissions, octal",
    examples: [{ value: 0o644 }],
  },
  path: {
    shape: openText,
    always: true,
    summary: "Absolute path, below /var unless the file exists already",
    examples: [{ value: "/var/etc/example.conf" }],
  },
  op: {
    shape: words(["create", "append", "overwrite"]),
    always: true,
    summary: "What is done with a file that may exist already",
    examples: [{ value: "create" }],
  },
});

/** Where the time comes from; a document of its own has taken over. */
export const time: StructShape = struct({
  disabled: flag("The clock is not set"),
  servers: { shape: list(openText), summary: "Time servers" },
  bootTimeout: {
    shape: duration,
    summary: "How long booting waits for the time; no end when absent",
  },
});

/** Rules for devices. */
export const udev: StructShape = struct({
  rules: {
    shape: list(string),
    summary: "Lines of a rules file",
    examples: [{
      value: ['SUBSYSTEM=="drm", KERNEL=="renderD*", GROUP="44", MODE="0660"'],
    }],
  },
});

const destination: StructShape = struct({
  endpoint: {
    shape: url,
    always: true,
    optional: true,
    required: true,
    summary: "Where logs are sent, over TCP or UDP",
    examples: [
      { value: "udp://192.0.2.10:5514" },
      { value: "tcp://[2001:db8::10]:5514" },
    ],
  },
  format: {
    shape: words(["json_lines"]),
    always: true,
    summary: "How logs are written",
    examples: [{ value: "json_lines" }],
  },
  extraTags: {
    shape: map(string),
    summary: "Fields added to every message",
    examples: [{ value: { site: "north", rack: "17" } }],
  },
});

/** Logs of services. */
export const logging: StructShape = struct({
  destinations: {
    shape: list(destination),
    always: true,
    summary: "Where logs of services are sent",
    examples: [{
      value: [{
        endpoint: "udp://192.0.2.10:5514",
        format: "json_lines",
        extraTags: { site: "north" },
      }],
    }],
  },
});

const kernelModule: StructShape = struct({
  name: {
    shape: openText,
    always: true,
    summary: "Name of the module",
    examples: [{ value: "nbd" }],
  },
  parameters: {
    shape: list(assignment),
    summary: "Parameters of the module",
    examples: [{ value: ["nbds_max=32"] }],
  },
});

/** The kernel. */
export const kernel: StructShape = struct({
  modules: {
    shape: list(kernelModule),
    summary: "Modules loaded at boot",
    examples: [{ value: [{ name: "nbd", parameters: ["nbds_max=32"] }] }],
  },
});

/** One of `seccompProfiles`. */
export const seccompProfile: StructShape = struct({
  name: {
    shape: openText,
    always: true,
    summary: "Name of the file that pods refer to",
    examples: [{ value: "log-all.json" }],
  },
  value: {
    shape: free,
    always: true,
    summary: "The profile",
    examples: [{ value: { defaultAction: "SCMP_ACT_LOG" } }],
  },
});
