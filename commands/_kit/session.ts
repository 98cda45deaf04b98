import type { Nodes } from "../../transport/nodes.ts";
import type { SessionRequest } from "./main.ts";
export function openSession(_request: SessionRequest): Promise<Nodes> {
  throw new Error("x");
}
