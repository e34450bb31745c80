import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { guestTimeHeader } from '@berth/contract/guest';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** Adds to each response to a traced request how long the guest took until its head. */
export const timedResponse = (brand: { readonly long: string }) => {
  const header = guestTimeHeader(brand);
  return class<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
    readonly #startedAt = performance.now();

    // Node calls it for every head, also where the handler wrote none itself.
    override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
      if (this.req.headers.traceparent !== undefined && !this.headersSent)
        this.setHeader(header, (performance.now() - this.#startedAt).toFixed(3));
      return typeof reason === 'string'
        ? super.writeHead(status, reason, headers)
        : super.writeHead(status, reason ?? headers);
    }
  };
};
