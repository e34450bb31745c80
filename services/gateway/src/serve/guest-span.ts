// The span of the guest: it reaches no collector, so its time comes with its response. It is believed for the time of this
// one request, because a program inside the sandbox may send the header too.
import type { Brand } from '@berth/contract';
import { guestTimeHeader } from '@berth/contract/guest';
import { childOf, type SpanSink } from '@berth/telemetry';
import { onlyValueOf } from '../http/raw-headers.ts';
import type { RequestContext } from './request-context.ts';
import type { OnResponseHead } from './response-headers.ts';

const form = /^\d{1,9}(\.\d{1,3})?$/;

type Guested = Pick<RequestContext, 'trace' | 'requestId' | 'startedAt'>;

export function recordsGuest(
  onResponseHead: OnResponseHead,
  { trace, requestId, startedAt }: Guested,
  { brand, spans }: { readonly brand: Brand; readonly spans: SpanSink },
): OnResponseHead {
  const header = guestTimeHeader(brand).toLowerCase();
  return (status, rawHeaders) => {
    const told = onlyValueOf(rawHeaders, header) ?? '';
    if (form.test(told)) {
      const durationMs = Math.min(Number(told), performance.now() - startedAt);
      const span = { name: 'request', kind: 'server', service: 'berth-guest', endedAt: Date.now() } as const;
      spans.record({ ...span, durationMs, trace: childOf(trace), fields: { requestId, status } });
    }
    return onResponseHead(status, rawHeaders);
  };
}
