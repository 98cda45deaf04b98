/** Modules and checks in virtual time: files and cryptography take none of it. */

import type { Check } from "../checks/check.ts";
import type { AnyOperation } from "../operations/operation.ts";
import type { Module, PreparedStep } from "../modules/module.ts";
import type { RealWork } from "./pending_work.ts";

/** Wraps a module so that virtual time pauses during its real work. */
export function heldModule(module: Module, work: RealWork): Module {
  switch (module.kind) {
    case "read":
      return {
        ...module,
        read: (...given) => heldSteps(work, () => module.read(...given)),
      };
    case "change":
      return {
        ...module,
        operation: heldOperation(module.operation, work),
        prepare: (...given) =>
          work.during(async () =>
            heldStep(await module.prepare(...given), work)
          ),
      };
  }
}

function heldStep(step: PreparedStep, work: RealWork): PreparedStep {
  if ("output" in step) return step;
  const { operation, toOutput } = step;
  return {
    ...step,
    ...(operation && { operation: heldOperation(operation, work) }),
    ...(toOutput && {
      toOutput: (verdict) => work.during(async () => await toOutput(verdict)),
    }),
  };
}

/** Wraps a check so that virtual time pauses during its real work. */
export function heldCheck(check: Check, work: RealWork): Check {
  return {
    ...check,
    run: (...given) => work.during(() => check.run(...given)),
  };
}

function heldOperation(
  operation: AnyOperation,
  work: RealWork,
): AnyOperation {
  const { resume } = operation;
  return {
    ...operation,
    observe: (...given) => work.during(() => operation.observe(...given)),
    apply: (...given) => heldSteps(work, () => operation.apply(...given)),
    reconcile: (...given) => work.during(() => operation.reconcile(...given)),
    verify: (...given) => heldSteps(work, () => operation.verify(...given)),
    resume: resume &&
      ((...given) => heldSteps(work, () => resume(...given))),
  };
}

/** Pauses during each step, but not between steps. */
async function* heldSteps<Step, End>(
  work: RealWork,
  begin: () => AsyncGenerator<Step, End>,
): AsyncGenerator<Step, End> {
  const steps = begin();
  let isOver = false;
  try {
    while (true) {
      const next = await work.during(() => steps.next());
      if (next.done) {
        isOver = true;
        return next.value;
      }
      yield next.value;
    }
  } finally {
    // If the consumer returns early, the steps clean up.
    if (!isOver) await work.during(() => steps.return(undefined as End));
  }
}
