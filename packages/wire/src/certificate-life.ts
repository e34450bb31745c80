// How much of a certificate's life is left: for its renewal and for its metric.
import { X509Certificate } from 'node:crypto';
import { Gauge, type Registry } from '@berth/telemetry';

const dayMs = 86_400_000;

/** With less than a third of its life left there is still time for a deployment that is away for days. */
export function isDueForRenewal(certificate: string, nowMs: number): boolean {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  const lifeMs = validToDate.getTime() - validFromDate.getTime();
  return validToDate.getTime() - nowMs < lifeMs / 3;
}

/** Below zero once it has ended. */
export const daysLeft = (certificate: string, nowMs: number): number =>
  (new X509Certificate(certificate).validToDate.getTime() - nowMs) / dayMs;

/** `certificates` in PEM by the name they have in the metric, as they are when somebody reads it. */
export function createCertificateMetric(
  registry: Registry,
  certificates: () => Readonly<Record<string, string>>,
  now: () => number = Date.now,
): void {
  new Gauge({
    name: 'berth_certificate_days_left',
    help: 'Days until a certificate of this process ends. All but that of the authority are renewed at two thirds of their life.',
    labelNames: ['certificate'],
    registers: [registry],
    collect() {
      for (const [certificate, pem] of Object.entries(certificates())) this.set({ certificate }, daysLeft(pem, now()));
    },
  });
}
