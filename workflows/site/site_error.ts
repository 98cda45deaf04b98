import { ConfigError } from "../../errors.ts";
import {
  type SourceProblem,
  sourceProblemsText,
} from "../runbooks/language/problem.ts";

/** An invalid directory. */
export class SiteError extends ConfigError {
  override readonly name = "SiteError";
  /** All problems; not empty. */
  readonly problems: readonly SourceProblem[];

  /** Makes the error. `problems`: not empty. */
  constructor(problems: readonly SourceProblem[]) {
    super(sourceProblemsText("Cannot use the site:", problems));
    this.problems = problems;
  }
}
