/** Work that takes real time in a simulated world: the world's clock stands still for it. */

import { AsyncLocalStorage } from "node:async_hooks";

/** A clock that can be kept from continuing. */
export interface HeldClock {
  /** Keeps time from continuing until a promise settles. */
  readonly hold: <T>(work: Promise<T>) => Promise<T>;
}

/** Work of one process. */
export interface RealWork {
  /**
   * Does what may take real time: files, cryptography.
   *
   * @param work What is done; it may wait for the world, if it does so within {@linkcode outside}.
   */
  readonly during: <T>(work: () => Promise<T>) => Promise<T>;
  /** Lets time continue while the work around it waits for the world. */
  readonly outside: <T>(wait: () => Promise<T>) => Promise<T>;
  /** Lets time continue whatever is done, for good. */
  readonly abandon: () => void;
  /** Resolves when nothing is done any more but waiting; after a tenth of a second in any case. */
  readonly settled: () => Promise<void>;
}

/** Longest wait for what is done, in milliseconds: it may wait for what never comes. */
const longestMs = 100;

interface WorkPiece {
  waits: number;
  isOver: boolean;
  letGo: () => void;
}

/** Makes what work is done in. */
export function realWork({ hold }: HeldClock): RealWork {
  const current = new AsyncLocalStorage<WorkPiece>();
  const pieces = new Set<WorkPiece>();
  let isAbandoned = false;
  let rested = () => {};

  const isAtWork = () =>
    [...pieces].some(({ waits, isOver }) => waits === 0 && !isOver);

  function rest(piece: WorkPiece): void {
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
      rest(piece);
    }
  }

  async function outside<T>(wait: () => Promise<T>): Promise<T> {
    const piece = current.getStore();
    if (piece === undefined) return await wait();
    if (piece.waits++ === 0) rest(piece);
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
