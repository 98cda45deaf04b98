/** Clusters of `osctl cluster create embedded` in this process, without a process for each. */

import { readSpec, writeSpec } from "../../provisioners/embedded/folder.ts";
import { serveEmbedded } from "../../provisioners/embedded/serve.ts";
import type { ClusterLocation } from "../../provisioners/state.ts";

/** Clusters that run here. */
export interface ClustersHere extends AsyncDisposable {
  /** Stops one, as its process would be stopped. */
  readonly stop: (name: string) => Promise<void>;
}

/** Serves clusters here until they are stopped, where osctl would start a process for them. */
export function serveHere(): ClustersHere {
  const running = new Map<string, () => Promise<void>>();
  const Real = Deno.Command;
  const command = class extends Real {
    readonly #serves: string[] | undefined;
    constructor(program: string | URL, options: Deno.CommandOptions = {}) {
      super(program, options);
      const args = options.args ?? [];
      if (args.includes("serve")) this.#serves = args.slice(-3);
    }
    override spawn(): Deno.ChildProcess {
      if (this.#serves === undefined) return super.spawn();
      const [state = "", , name = ""] = this.#serves;
      const { stop, status } = serve({ state, name });
      running.set(name, stop);
      // The subset that the provisioner uses.
      return {
        pid: Deno.pid,
        status,
        ref() {},
        unref() {},
      } as Partial<Deno.ChildProcess> as Deno.ChildProcess;
    }
  };
  const setCommand = (value: typeof Deno.Command) =>
    Object.defineProperty(Deno, "Command", {
      value,
      configurable: true,
      writable: true,
    });
  setCommand(command);
  return {
    stop: async (name) => await running.get(name)?.(),
    async [Symbol.asyncDispose]() {
      setCommand(Real);
      for (const stop of running.values()) await stop();
    },
  };
}

function serve(place: ClusterLocation) {
  const end = new AbortController();
  const work = async () => {
    const spec = await readSpec(place);
    // No page waits for machines to boot.
    if (spec !== undefined) {
      await writeSpec(place, { ...spec, pace: "instant", etcd: "model" });
    }
    const { signal } = end;
    for await (const _ of serveEmbedded(place, { signal })) { /* It runs. */ }
  };
  const done = work().catch((error) => {
    if (!end.signal.aborted) throw error;
  });
  return {
    status: done.then(() => ({ success: true, code: 0, signal: null })),
    async stop() {
      end.abort();
      await done;
    },
  };
}
