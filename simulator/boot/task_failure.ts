/** That a task of a node went wrong; anything else that is thrown is a mistake of the simulation. */

/** What a node says about a task that went wrong. */
export class TaskFailure extends Error {
  /** Tells it from other errors. */
  override readonly name = "TaskFailure";
}
