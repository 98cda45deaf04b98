/** Where the files of `gen config` go. */

import { UsageError } from "../../errors.ts";
import type { GenConfigInputs, OutputType } from "./inputs.ts";

/** A file to make. */
export interface Target {
  /** What it holds. */
  readonly type: OutputType;
  /** Where it goes; `undefined` is standard output. */
  readonly path: string | undefined;
}

const names: Readonly<Record<OutputType, string>> = {
  controlplane: "controlplane.yaml",
  worker: "worker.yaml",
  osconfig: "osconfig",
};

/**
 * Decides where the files go: into the working directory or the one given, or
 * to the path given when it is one file.
 *
 * @param input Types and places.
 * @param cwd Working directory.
 * @throws {UsageError} If the places do not fit the types.
 */
export function targetsOf(
  { output = "", outputDir = "", outputTypes }: Pick<
    GenConfigInputs,
    "output" | "outputDir" | "outputTypes"
  >,
  cwd: string,
): readonly Target[] {
  if (output !== "" && outputDir !== "") {
    throw new UsageError("Flags --output and --output-dir exclude each other", {
      hint: "Give --output",
    });
  }
  const [first, ...others] = outputTypes;
  if (first !== undefined && others.length === 0 && output !== "") {
    return [{ type: first, path: output === "-" ? undefined : output }];
  }
  if (output === "-") {
    throw new UsageError("Only one type of file fits on standard output", {
      hint: "Choose it with --output-types",
    });
  }
  const directory = (output || outputDir || cwd).replace(/(?<=.)\/+$/, "");
  return outputTypes.map((type) => ({
    type,
    path: `${directory === "/" ? "" : directory}/${names[type]}`,
  }));
}
