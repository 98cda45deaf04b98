/** One thing after the other. */

/** Does something when what was to be done before is done, however that ended. */
export type InTurn = <T>(act: () => Promise<T>) => Promise<T>;

/** Makes a queue. */
export function createQueue(): InTurn {
  let last: Promise<unknown> = Promise.resolve();
  return (act) => {
    const turn = last.then(act, act);
    last = turn;
    return turn;
  };
}
