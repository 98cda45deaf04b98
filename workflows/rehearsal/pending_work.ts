/** Real-time work in a simulation, during which the virtual clock pauses. */

import { AsyncLocalStorage } from "node:async_hooks";

/** A clock that can be paused. */
export interface HeldClock {
  /** Pauses the clock until a promise settles. */
  readonly hold: <T>(work: Promise<T>) => Promise<T>;
}

/** Real-time work of one process. */
export interface RealWork {
  /**
   * Runs work that may take real time: files, cryptography.
   *
   * @param work Work to run; it may wait for the simulation within {@linkcode outside}.
   */
  readonly during: <T>(work: () => Promise<T>) => Promise<T>;
  /** Lets time advance while the enclosing work waits for the simulation. */
  readonly outside: <T>(wait: () => Promise<T>) => Promise<T>;
  /** Lets time advance from now on, whatever work is left. */
  readonly abandon: () => void;
  /** Resolves when all work is only waiting; after a tenth of a second in any case. */
  readonly settled: () => Promise<void>;
}

/** Maximum wait for work, in milliseconds: it may wait for an event that never happens. */
const longestMs = 100;

interface WorkPiece {
  waits: number;
  isOver: boolean;
  letGo: () => void;
}

/** Creates the tracker of real-time work. */
export function realWork({ hold }: HeldClock): RealWork {
  const current = new AsyncLocalStorage<WorkPiece>();
  const pieces = new Set<WorkPiece>();
  let isAbandoned = false;
  let rested = () => {};

  const isAtWork = () =>
    [...pieces].some(({ waits, isOver }) => waits === 0 && !isOver);

  function finishPiece(piece: WorkPiece): void {
    piece.letGo();
    if (!isAtWork()) rested();
  }

  function take(piece: WorkPiece): void {
    if (isAbandoned || piece.isOver) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    piece.letGo = resolve;
    hold(promise);
  }

  async function during<T>(work: () => Promise<T>): Promise<T> {
    const piece: WorkPiece = { waits: 0, isOver: false, letGo: () => {} };
    pieces.add(piece);
    take(piece);
    try {
      return await current.run(piece, work);
    } finally {
      piece.isOver = true;
      pieces.delete(piece);
      finishPiece(piece);
    }
  }

  async function outside<T>(wait: () => Promise<T>): Promise<T> {
    const piece = current.getStore();
    if (piece === undefined) return await wait();
    if (piece.waits++ === 0) finishPiece(piece);
    try {
      return await wait();
    } finally {
      if (--piece.waits === 0) take(piece);
    }
  }

  return {
    during,
    outside,
    abandon() {
      isAbandoned = true;
      for (const piece of pieces) piece.letGo();
    },
    async settled() {
      if (!isAtWork()) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, longestMs);
        rested = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    },
  };
}
