/** Switching a node off and on over the wire: `Reboot` and `Shutdown`. */

import {
  RebootRequest_Mode as RebootMode,
} from "../../transport/gen/machine.ts";
import type { MachineHandlers } from "../wire/handlers.ts";
import { reboot, shutDown } from "../boot/power.ts";
import { minorOf } from "../node/running_release.ts";

/** `Reboot` and `Shutdown`; both answer before anything happens. */
export const power: MachineHandlers = {
  reboot({ mode }, { node }) {
    const actorId = crypto.randomUUID();
    // Earlier releases know no such mode, and take it for the usual one.
    const forced = mode === RebootMode.FORCE && minorOf(node) >= 12;
    node.work(reboot(node, { actorId, forced }));
    return { messages: [{ actorId }] };
  },
  shutdown({ force: forced }, { node }) {
    const actorId = crypto.randomUUID();
    node.work(shutDown(node, { actorId, forced, takesOver: true }));
    return { messages: [{ actorId }] };
  },
};
