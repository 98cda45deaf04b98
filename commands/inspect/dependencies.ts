import { instance } from "@viz-js/viz";
import { maskValue, processMasker } from "../../lib/masker.ts";
import { NodesError } from "../../errors.ts";
import {
  dotText,
  type NodeDependencies,
} from "../../workflows/support/dependency_graph.ts";
import { readDependencies } from "../../workflows/support/read_dependencies.ts";
import {
  bytes,
  choice,
  type Command,
  toggle,
  type Values,
} from "../_kit/mod.ts";

const inputs = {
  withResources: toggle("show each resource, not only the types"),
  output: choice(
    "output format: dot, svg or json",
    ["dot", "svg", "json"],
    { short: "o", initial: "dot" },
  ),
};

export const command = {
  summary: "Show the dependencies of controllers and resources",
  description:
    `Controllers are boxes, resource types are notes. A bold arrow from a controller leads to a type that only it writes, a
plain arrow to one that others write, too. Arrows to a controller come from the types it reads, dotted for weak inputs.

dot is the Graphviz language, for "dot -Tpng"; svg needs no other program. Several nodes become one graph. json prints one
document per node: node, edges (controller, kind, namespace, type, id), and with --with-resources also resources
(namespace, type, id, owner).`,
  inputs,
  examples: [
    "inspect dependencies --nodes 10.0.0.2 | dot -Tpng -o graph.png",
    "inspect dependencies --nodes 10.0.0.2 -o svg > graph.svg",
    "inspect dependencies --with-resources --nodes 10.0.0.2 -o json",
  ],
  output: "own",
  view: bytes(),
  async *run({ input, nodes }) {
    const seen: NodeDependencies[] = [];
    let failure: unknown;
    try {
      const answers = nodes.call(async (client) =>
        maskValue(await readDependencies(client, input), processMasker.mask)
      );
      for await (const { node, value } of answers) {
        seen.push(value);
        if (input.output !== "json") continue;
        yield encode(`${JSON.stringify({ node, ...value }, null, 4)}\n`);
      }
    } catch (error) {
      // Results of the other nodes come first.
      if (!(error instanceof NodesError)) throw error;
      failure = error;
    }
    if (seen.length > 0 && input.output !== "json") {
      const text = dotText(seen);
      yield encode(input.output === "dot" ? text : await renderSvg(text));
    }
    if (failure !== undefined) throw failure;
  },
} satisfies Command<Uint8Array, Values<typeof inputs>>;

async function renderSvg(dot: string): Promise<string> {
  const viz = await instance();
  return viz.renderString(dot, { format: "svg" });
}

function encode(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
