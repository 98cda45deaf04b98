import { imageFault } from "../../workflows/image_cache/reference.ts";
import { InputProblem } from "./inputs.ts";

/**
 * Parses an image name, with tag or digest.
 *
 * @throws {InputProblem} If it is invalid; so is a version alone.
 */
export function imageName(value: string): string {
  const fault = imageFault(value);
  if (fault === undefined) return value;
  throw new InputProblem(`not an image name: ${fault}`);
}

/**
 * Parses registry and path of an image, without a tag.
 *
 * @throws {InputProblem} If it is invalid.
 */
export function imageRepository(value: string): string {
  const isTagged = /[:@][^/]*$/.test(imageName(value));
  if (!isTagged) return value;
  throw new InputProblem("it has a tag or digest; give registry and path only");
}
