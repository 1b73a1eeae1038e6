import { parentPort } from "node:worker_threads";

import { call } from "./index.node.mjs";
import { answered } from "./worker-calls.mjs";

parentPort.on("message", (message) => parentPort.postMessage(answered(call, message)));
