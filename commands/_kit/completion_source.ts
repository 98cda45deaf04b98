import type { Candidate, Question } from "./completion.ts";
import type { Program } from "./main.ts";
export function candidates(
  _program: Program,
  _question: Question,
): Promise<readonly Candidate[]> {
  return Promise.resolve([]);
}
