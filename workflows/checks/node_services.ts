import type { Check } from "./check.ts";
import { counted, nodeField, nodeOf, unless } from "./finding.ts";
import { readServices, serviceProblem } from "./service_state.ts";

/** States of services that have nothing to do any more. */
const idle: ReadonlySet<string> = new Set(["Finished", "Skipped"]);

/** Whether the services of a node run, and those with a check of their own are healthy. */
export const nodeServices: Check = {
  name: "node.services",
  summary: "All services of the node run and are healthy",
  scope: "node",
  input: {
    node: nodeField,
    services: {
      type: "list",
      summary: "Only these, and they have to be there; default all there are",
      items: { type: "string", summary: "Name of a service" },
    },
  },
  async look(site, input) {
    const client = await site.cluster.at(nodeOf(site, input));
    const all = await readServices(client);
    const named = Array.isArray(input.services)
      ? input.services.map(String)
      : all.filter(({ state }) => !idle.has(state)).map(({ id }) => id);
    const problems = named.flatMap((id) =>
      serviceProblem(id, all.find((one) => one.id === id), false) ?? []
    );
    return unless(problems, `${counted(named.length, "service")} healthy`);
  },
};
