/** Dependency graph of a node's controllers and resources. */

/** Dependency of a controller on resources: exclusive or shared output, or input. */
export type DependencyKind =
  | "output-exclusive"
  | "output-shared"
  | "input-strong"
  | "input-weak"
  | "input-destroy-ready";

/** One dependency. Source: `InspectService.ControllerRuntimeDependencies`. */
export interface Dependency {
  /** Controller: `k8s.NodeStatusController`. */
  readonly controller: string;
  readonly kind: DependencyKind;
  /** Namespace of the resources; empty for any. */
  readonly namespace: string;
  readonly type: string;
  /** Id of the resource; empty for all. */
  readonly id: string;
}

/** Metadata of a resource. */
export interface DependencyResource {
  readonly namespace: string;
  readonly type: string;
  readonly id: string;
  /** Owning controller; empty for none. */
  readonly owner: string;
}

/** Controllers of one node. */
export interface NodeDependencies {
  /** Dependencies in the order of the node. */
  readonly edges: readonly Dependency[];
  /** Resources of all types in the edges; absent if not requested. */
  readonly resources?: readonly DependencyResource[];
}

interface Graph {
  readonly controllers: Set<string>;
  /** Labels of resources by their displayed type; without resources, each type is under `""`. */
  readonly resources: Map<string, Set<string>>;
  /** Attributes by start, end and label. */
  readonly edges: Map<string, Edge>;
}

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly style: "bold" | "solid" | "dotted";
  readonly label: string;
}

/**
 * Formats dependencies as a directed graph for Graphviz.
 *
 * Controllers are boxes. Without resources each type is a note; with resources each resource is a note in the cluster
 * of its type. Omits dependencies on resources that are ready to be destroyed.
 *
 * @param nodes Controllers of nodes; duplicates are merged.
 */
export function dotText(nodes: readonly NodeDependencies[]): string {
  const graph: Graph = {
    controllers: new Set(),
    resources: new Map(),
    edges: new Map(),
  };
  for (const node of nodes) addNode(graph, node);
  const ids = new Map<string, string>();
  const formatId = (label: string) => {
    const known = ids.get(label);
    if (known !== undefined) return known;
    const id = `n${ids.size + 1}`;
    ids.set(label, id);
    return id;
  };
  const note = (label: string) =>
    `${formatId(label)} [label=${
      quote(label)
    } shape=note style=filled fillcolor=azure2];`;
  const lines = [
    ...[...graph.controllers].sort().map((label) =>
      `${formatId(label)} [label=${quote(label)} shape=box];`
    ),
    ...[...graph.resources].sort(byFirst).flatMap(([type, labels], index) => {
      const notes = [...labels].sort().map(note);
      if (type === "") return notes;
      return [
        `subgraph cluster_${index} {`,
        `  label=${quote(type)};`,
        ...notes.map((line) => `  ${line}`),
        "}",
      ];
    }),
    ...[...graph.edges].sort(byFirst).map(([, { from, to, style, label }]) =>
      `${formatId(from)} -> ${formatId(to)} [style=${style}${
        label === "" ? "" : ` label=${quote(label)}`
      }];`
    ),
  ];
  return `digraph {\n${lines.map((line) => `  ${line}\n`).join("")}}\n`;
}

function byFirst(
  [a]: readonly [string, unknown],
  [b]: readonly [string, unknown],
): number {
  return Number(a > b) - Number(a < b);
}

function addNode(graph: Graph, { edges, resources }: NodeDependencies): void {
  for (const { controller } of edges) graph.controllers.add(controller);
  for (const one of resources ?? []) {
    findSet(graph.resources, one.type).add(formatLabel(one));
  }
  for (const edge of edges) {
    if (resources === undefined) addType(graph, edge);
    else addResources(graph, edge, resources);
  }
}

function addType(graph: Graph, edge: Dependency): void {
  const { controller, type, kind, id } = edge;
  findSet(graph.resources, "").add(type);
  if (kind === "input-destroy-ready") return;
  if (isOutput(edge)) {
    const style = kind === "output-exclusive" ? "bold" : "solid";
    return addEdge(graph, { from: controller, to: type, style, label: "" });
  }
  const style = kind === "input-weak" ? "dotted" : "solid";
  addEdge(graph, { from: type, to: controller, style, label: id });
}

function addResources(
  graph: Graph,
  edge: Dependency,
  resources: readonly DependencyResource[],
): void {
  const { controller, type, kind, id } = edge;
  if (kind === "input-destroy-ready") return;
  for (const resource of resources) {
    if (resource.type !== type || id !== "" && resource.id !== id) continue;
    const label = formatLabel(resource);
    if (!isOutput(edge)) {
      const style = kind === "input-weak" ? "dotted" : "solid";
      addEdge(graph, { from: label, to: controller, style, label: "" });
    } else if (resource.owner === controller) {
      const style = "solid";
      addEdge(graph, { from: controller, to: label, style, label: "" });
    }
  }
}

function isOutput({ kind }: Dependency): boolean {
  return kind === "output-exclusive" || kind === "output-shared";
}

function addEdge(graph: Graph, edge: Edge): void {
  const { from, to, style, label } = edge;
  graph.edges.set([from, to, label, style].join("\0"), edge);
}

function formatLabel({ namespace, type, id }: DependencyResource): string {
  return `${namespace}/${type}/${id}`;
}

function findSet(sets: Map<string, Set<string>>, key: string): Set<string> {
  const known = sets.get(key) ?? new Set();
  sets.set(key, known);
  return known;
}

/** Quotes a text; drops control characters. */
function quote(text: string): string {
  const safe = text.replace(/\p{Cc}/gu, "\u{fffd}");
  return `"${safe.replace(/[\\"]/g, (one) => `\\${one}`)}"`;
}
