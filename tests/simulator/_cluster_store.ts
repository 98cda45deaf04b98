/** A store of simulated clusters, for tests. */

import type { Store } from "../../simulator/cluster/saved_state.ts";

/** Makes a store that keeps texts in memory. */
export function storeIn(texts: Map<string, string>): Store {
  return {
    read: (name) => Promise.resolve(texts.get(name)),
    write(name, text) {
      texts.set(name, text);
      return Promise.resolve();
    },
  };
}
