export { defineHandler, type Handler, type HandlerContext, type RetryPolicy } from './handler.ts';
export { defineMessage, type MessageType, type Outgoing, type SendOptions } from './message.ts';
export {
  cronMessage,
  dispatchKey,
  dispatchMessage,
  executionMessage,
  type KeyOnly,
  poolMessage,
  reconcileMessage,
  removalMessage,
} from './messages.ts';
export { type RelayOptions, type RunningRelay, startRelay } from './relay.ts';
export { defineResyncSource, type ResyncOptions, type ResyncSource, resync, type UnfinishedWork } from './resync.ts';
export { SendFailed } from './send-failed.ts';
export { createSender, type Sender, type SenderOptions } from './sender.ts';
export { type HandlersOptions, type RunningHandlers, startHandlers } from './start-handlers.ts';
