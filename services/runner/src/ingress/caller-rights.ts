// What a caller may do, by its certificate. TLS has shown that the caller has the certificate's key; everything else is judged here,
// and not by what TLS says of the connection: a resumed one counts as authorized there, even when no certificate was ever shown.
import type { X509Certificate } from 'node:crypto';
import { type IngressCaller, ingressCallerName, ingressCallers } from '@berth/contract';

export type Right = 'tunnels' | 'calls';

const rights: Readonly<Record<IngressCaller, readonly Right[]>> = {
  gateway: ['tunnels'],
  api: ['tunnels', 'calls'],
};

/** Empty for whoever is not a gateway or an api of this deployment, and for whose certificate has ended. */
export function rightsOf(
  certificate: X509Certificate | undefined,
  authority: X509Certificate,
  nowMs: number,
): readonly Right[] {
  if (certificate === undefined || !certificate.checkIssued(authority) || !certificate.verify(authority.publicKey))
    return [];
  // Its only name: a runner's certificate of the same authority names the runner.
  const caller = ingressCallers.find((each) => certificate.subjectAltName === `DNS:${ingressCallerName(each)}`);
  return caller === undefined || !isValid(certificate, nowMs) ? [] : rights[caller];
}

export const isValid = ({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean =>
  validFromDate.getTime() <= nowMs && nowMs < validToDate.getTime();
