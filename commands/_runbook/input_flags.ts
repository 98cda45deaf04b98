import type { GivenInputs } from "../../workflows/runbooks/run/given_inputs.ts";
import { type Flag, stringArray, text } from "../_kit/mod.ts";

/** Declarations of these flags. */
export const inputFlags: {
  readonly [Name in keyof GivenInputs]: Flag<GivenInputs[Name]>;
} = {
  input: stringArray("value of an input, name=value", { short: "i" }),
  inputs: text("file with values of inputs, one name: value per line", {
    complete: "files",
  }),
  secret: stringArray(
    "value of a secret input, name=@file or name=env:VARIABLE",
  ),
};
