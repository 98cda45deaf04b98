import type { Group } from "../../_kit/mod.ts";

/** `osctl cluster fault`: what goes wrong in simulated nodes. */
export const group: Group = {
  summary: "Inject faults into simulated nodes",
  description:
    "Simulates failures seen in the field: silent streams, dead endpoints, wrong certificates, lost replies.",
};
