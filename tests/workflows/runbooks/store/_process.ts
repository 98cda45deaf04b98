/** The part of a process that resumes a run, for commands that talk to one. */

import {
  type Message,
  takeMessages,
} from "../../../../workflows/runbooks/store/inbox.ts";
import { holdRun } from "./_runs.ts";

/** A process that resumes a run. */
export interface FakeProcess extends AsyncDisposable {
  /** Messages it has taken. */
  readonly taken: Message[];
}

/**
 * Holds a run and takes its messages, as a process does.
 *
 * @param folder Folder of the run.
 * @param take Called with each message, and how to let go of the run.
 */
export async function fakeProcess(
  folder: string,
  take: (message: Message, letGo: () => void) => void | Promise<void> =
    () => {},
): Promise<FakeProcess> {
  const held = await holdRun(folder);
  const taken: Message[] = [];
  const over = { is: false, held: true };
  const letGo = () => {
    if (over.held) held[Symbol.dispose]();
    over.held = false;
  };
  async function look(): Promise<void> {
    while (!over.is) {
      for (const message of await takeMessages(folder)) {
        taken.push(message);
        await take(message, letGo);
      }
      await new Promise((go) => setTimeout(go, 10));
    }
  }
  const looking = look();
  return {
    taken,
    async [Symbol.asyncDispose]() {
      over.is = true;
      await looking;
      letGo();
    },
  };
}
