import assert from "node:assert/strict";
import { globals } from "../../../../commands/_kit/globals.ts";
import type { Globals } from "../../../../commands/_kit/globals.ts";
import { realWorld } from "../../../../commands/_kit/world.ts";
import { askKubernetes } from "../../../../commands/runbook/_runs/kubernetes_of.ts";
import { withWire } from "../../../_wire.ts";

Deno.test("the API server of the named context is asked, unless the command line says another", () =>
  withWire({}, async ({ cluster, osconfig }) => {
    // The record was made from the declarations of `Globals`.
    const initial = Object.fromEntries(
      Object.entries(globals).map(([key, input]) => [
        key,
        "initial" in input ? input.initial : undefined,
      ]),
    ) as unknown as Globals;
    const context = {
      globals: { ...initial, osconfig },
      world: realWorld(),
      note: assert.fail,
      signal: new AbortController().signal,
    };
    const ask = (named: string | undefined, chosen = context) =>
      askKubernetes(
        chosen,
        named,
        (kubernetes, signal) => kubernetes.request("/api/v1/nodes", { signal }),
      );
    for (const named of [undefined, cluster.name]) {
      const { kind } = await ask(named) as { readonly kind?: string };
      assert.equal(kind, "NodeList");
    }
    await assert.rejects(ask("other"), { name: "ConfigError" });
    const said = {
      ...context,
      globals: { ...context.globals, context: cluster.name },
    };
    await ask("other", said);
  }));
