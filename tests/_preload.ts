/** What a process loads once and keeps: imported before all tests, so that it is not taken for a leak of the first. */

import { prepareSendAtOnce } from "../transport/connect/runtime_tls.ts";

prepareSendAtOnce();
