// Rights of a caller, derived from its certificate. TLS has proved that the caller holds the certificate's key.
// Everything else is checked here and not taken from TLS, which counts a resumed session as authorized even if no
// certificate was ever shown.
import type { X509Certificate } from 'node:crypto';
import { type IngressCaller, ingressCallerName, ingressCallers } from '@berth/contract/node';

export type Right = 'tunnels' | 'calls';

const rights: Readonly<Record<IngressCaller, readonly Right[]>> = {
  gateway: ['tunnels'],
  api: ['tunnels', 'calls'],
};

/** Empty if the caller is not a gateway or an api of this deployment, or if its certificate is not valid at `nowMs`. */
export function rightsOf(
  certificate: X509Certificate | undefined,
  authority: X509Certificate,
  nowMs: number,
): readonly Right[] {
  if (certificate === undefined || !certificate.checkIssued(authority) || !certificate.verify(authority.publicKey))
    return [];
  // The name must be the only one in the certificate: a runner's certificate comes from the same authority and names
  // the runner.
  const caller = ingressCallers.find((each) => certificate.subjectAltName === `DNS:${ingressCallerName(each)}`);
  return caller === undefined || !isValid(certificate, nowMs) ? [] : rights[caller];
}

export const isValid = ({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean =>
  validFromDate.getTime() <= nowMs && nowMs < validToDate.getTime();
