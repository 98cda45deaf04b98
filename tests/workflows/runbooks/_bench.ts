/** Runbooks on model clusters: processes that are killed, stopped, and followed by others, all in virtual time. */

import { finders } from "../../_finders.ts";
import {
  createModelCluster,
  type ModelCluster,
} from "../../../workflows/rehearsal/model/model_cluster.ts";
import type { ModelClusterOptions } from "../../../workflows/rehearsal/model/model_options.ts";
import type { Check } from "../../../workflows/checks/check.ts";
import type { Json } from "../../../lib/json.ts";
import { type Disk, newDisk } from "../../../workflows/rehearsal/model_disk.ts";
import { loadRunbook } from "../../../workflows/runbooks/language/loading/load.ts";
import type { Finders } from "../../../workflows/runbooks/language/lookup.ts";
import type { Module } from "../../../workflows/modules/module.ts";
import type { Runbook } from "../../../workflows/runbooks/runbook.ts";
import {
  type Begun,
  type ProcessOptions,
  type Ran,
  runProcess,
} from "./_bench_process.ts";

export type { Controls, ProcessOptions, Ran, Told } from "./_bench_process.ts";

export interface BenchOptions extends Partial<ModelClusterOptions> {
  /** Modules. */
  readonly modules?: readonly Module[];
  /** Checks. */
  readonly checks?: readonly Check[];
  /** Runbooks that others use, by path. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A runbook on a cluster. */
export interface Bench extends AsyncDisposable {
  /** The cluster. */
  readonly cluster: ModelCluster;
  /** Files that processes leave behind; of the latest run. */
  readonly disk: () => Disk;
  /** Begins a run: YAML, or `builtin:name`. */
  readonly run: (
    source: string,
    inputs?: Readonly<Record<string, Json>>,
    options?: ProcessOptions,
  ) => Promise<Ran>;
  /** Resumes it in another process. */
  readonly resume: (options?: ProcessOptions) => Promise<Ran>;
  /** Switches a fault on. */
  readonly inject: ModelCluster["inject"];
  /** Lets time pass, in milliseconds. */
  readonly pass: (ms: number) => Promise<void>;
}

/** Makes a bench; without options a cluster of one control plane and two workers. */
export async function openBench(options: BenchOptions = {}): Promise<Bench> {
  const { modules = [], checks = [], files = {}, ...rest } = options;
  const cluster = await createModelCluster({
    controlPlanes: 1,
    workers: 2,
    version: "v1.13.4",
    ...rest,
  });
  const folders: string[] = [];
  let disk: Disk | undefined;
  let startedAt: Begun | undefined;
  const found: Finders = {
    ...finders,
    module: (name) => {
      const own = modules.find((one) => one.name === name);
      return own === undefined ? finders.module(name) : Promise.resolve(own);
    },
    modules: [...modules.map(({ name }) => name), ...finders.modules],
    check: (name) =>
      checks.find((one) => one.name === name) ?? finders.check(name),
    checks: [...checks.map(({ name }) => name), ...finders.checks],
  };
  const goOn = async (process: ProcessOptions) => {
    if (disk === undefined || startedAt === undefined) {
      throw new TypeError("No run has started");
    }
    return await runProcess(
      { cluster, disk, found, modules },
      startedAt,
      process,
    );
  };
  return {
    cluster,
    disk: () => disk!, // a run has started
    async run(source, inputs = {}, process = {}) {
      const folder = await Deno.makeTempDir();
      folders.push(folder);
      disk = await newDisk(folder);
      startedAt = { runbook: await load(source, found, files), inputs };
      return await goOn(process);
    },
    resume: (process = {}) => goOn(process),
    inject: cluster.inject,
    pass: cluster.clock.pass,
    async [Symbol.asyncDispose]() {
      await cluster.stop();
      for (const folder of folders) {
        await Deno.remove(folder, { recursive: true });
      }
    },
  };
}

/** Loads a runbook, with the names of the bench. */
async function load(
  source: string,
  find: Finders,
  files: Readonly<Record<string, string>>,
): Promise<Runbook> {
  if (source.startsWith("builtin:")) {
    return (await loadRunbook(source, { find })).runbook;
  }
  const head = source.includes("apiVersion")
    ? ""
    : "apiVersion: osctl/v1\nkind: Runbook\nname: bench\ntitle: For tests\n";
  const read = (path: string) =>
    Promise.resolve(path === "bench.yaml" ? head + source : files[path]);
  return (await loadRunbook("bench.yaml", { find, read })).runbook;
}
