// Remaining lifetime of a certificate, for its renewal and its metric.
import { X509Certificate } from 'node:crypto';
import { Gauge, type Registry } from '@berth/telemetry';

const dayMs = 86_400_000;

/** Due when less than a third of the lifetime is left, so that a deployment may be down for days before it expires. */
export function isDueForRenewal(certificate: string, nowMs: number): boolean {
  const { validFromDate, validToDate } = new X509Certificate(certificate);
  const lifeMs = validToDate.getTime() - validFromDate.getTime();
  return validToDate.getTime() - nowMs < lifeMs / 3;
}

/** Negative once the certificate has expired. */
export const daysLeft = (certificate: string, nowMs: number): number =>
  (new X509Certificate(certificate).validToDate.getTime() - nowMs) / dayMs;

/** `certificates` returns PEM by metric label; it is called whenever the metric is read. */
export function createCertificateMetric(
  registry: Registry,
  certificates: () => Readonly<Record<string, string>>,
  now: () => number = Date.now,
): void {
  new Gauge({
    name: 'berth_certificate_days_left',
    help: 'Days until a certificate of this process expires. All but the certificate of the authority are renewed when a third of their lifetime is left.',
    labelNames: ['certificate'],
    registers: [registry],
    collect() {
      for (const [certificate, pem] of Object.entries(certificates())) this.set({ certificate }, daysLeft(pem, now()));
    },
  });
}
