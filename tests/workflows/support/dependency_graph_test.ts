import assert from "node:assert/strict";
import {
  type Dependency,
  dotText,
} from "../../../workflows/support/dependency_graph.ts";

const edge = (
  controller: string,
  kind: Dependency["kind"],
  type: string,
  id = "",
): Dependency => ({ controller, kind, namespace: "", type, id });

Deno.test("types and controllers are drawn once, whatever says so", () => {
  const edges = [
    edge("b", "input-weak", "Y", "one"),
    edge("b", "output-exclusive", "X"),
    edge("a", "input-strong", "X"),
    edge("a", "output-shared", "Y"),
    edge("a", "input-destroy-ready", "X"),
  ];
  assert.equal(
    dotText([{ edges }, { edges }]),
    `digraph {
  n1 [label="a" shape=box];
  n2 [label="b" shape=box];
  n3 [label="X" shape=note style=filled fillcolor=azure2];
  n4 [label="Y" shape=note style=filled fillcolor=azure2];
  n3 -> n1 [style=solid];
  n4 -> n2 [style=dotted label="one"];
  n1 -> n4 [style=solid];
  n2 -> n3 [style=bold];
}
`,
  );
});

Deno.test("resources are drawn in the frames of their types, and lead to and from their controllers", () => {
  const resource = (id: string, owner: string) => ({
    namespace: "n",
    type: "X",
    id,
    owner,
  });
  assert.equal(
    dotText([{
      edges: [
        edge("a", "output-exclusive", "X"),
        edge("b", "input-weak", "X", "two"),
      ],
      resources: [resource('o"ne', "a"), resource("two", "c")],
    }]),
    `digraph {
  n1 [label="a" shape=box];
  n2 [label="b" shape=box];
  subgraph cluster_0 {
    label="X";
    n3 [label="n/X/o\\"ne" shape=note style=filled fillcolor=azure2];
    n4 [label="n/X/two" shape=note style=filled fillcolor=azure2];
  }
  n1 -> n3 [style=solid];
  n4 -> n2 [style=dotted];
}
`,
  );
});
