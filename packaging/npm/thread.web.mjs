import { call, load } from "./index.web.mjs";
import { answered } from "./worker-calls.mjs";

onmessage = async ({ data }) => {
  try {
    await load();
  } catch (error) {
    postMessage({ id: data.id, messages: [], error: `berth: the engine cannot be loaded: ${error.message}` });
    return;
  }
  postMessage(answered(call, data));
};
