/** Identity of a simulated node. */

/** Kind of machine. */
export type MachineType = "controlplane" | "worker";

/** Name, address and kind of a node. */
export interface NodeIdentity {
  /** Host name: `demo-controlplane-1`. */
  readonly hostname: string;
  /** Address that endpoints forward to, without port. */
  readonly address: string;
  readonly machineType: MachineType;
  readonly uuid: string;
}
