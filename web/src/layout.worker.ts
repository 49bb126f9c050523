// The layout off the main thread.

import { placed, type Request } from "./layout.ts";

const scope = self as unknown as DedicatedWorkerGlobalScope;

scope.onmessage = (event: MessageEvent<Request>) => {
  scope.postMessage(placed(event.data));
};
