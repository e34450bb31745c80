import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GuestRouteId } from '@berth/contract/guest';
import type { Caller } from '../caller.ts';
import type { Guest } from '../guest.ts';

/** One request on its way through the guest. */
export type Call = {
  guest: Guest;
  request: IncomingMessage;
  response: ServerResponse;
  /** Decoded values of the `{name}` segments of the route. */
  params: Readonly<Record<string, string>>;
  /** Raw text matched by `{path*}`, with the separator before it. */
  rest: string;
  query: URLSearchParams;
  /** HEAD: the headers of a GET, without its body. */
  headOnly: boolean;
  caller: Caller;
};

export type Handler = (call: Call) => Promise<void> | void;

/** The handlers of a feature, each loaded when its route is first called. */
export type HandlerTable = { readonly [Id in GuestRouteId]?: () => Promise<Handler> };

/** Aborts when the caller goes away before the answer has ended. */
export function whenCallerLeaves({ response }: Call): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  if (response.destroyed) controller.abort();
  return controller.signal;
}
