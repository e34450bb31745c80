import type { HealthResponse } from '@berth/contract/guest';
import { readBuildInfo } from '../build-info.ts';
import { answerJson } from '../http/answer.ts';
import type { Call } from '../http/call.ts';

// Not the current time minus the uptime: that changes with every correction of the clock.
const startedAt = new Date(performance.timeOrigin).toISOString();
const architectureNames: Readonly<Record<string, string>> = { x64: 'amd64' };

export async function health(call: Call): Promise<void> {
  const uptimeSeconds = process.uptime();
  const build = await readBuildInfo(call.guest.settings);
  const answer: HealthResponse = {
    status: 'ok',
    ...build,
    goVersion: `node ${process.version}`,
    os: process.platform,
    arch: architectureNames[process.arch] ?? process.arch,
    uptime: uptimeText(uptimeSeconds),
    uptimeSeconds,
    upgradeCount: 0,
    startedAt: startedAt,
    lastUpgrade: { status: 'idle', step: 'none', version: build.version },
  };
  answerJson(call, answer);
}

/** `1h2m3s`, without leading parts that are zero. */
function uptimeText(seconds: number): string {
  const whole = Math.floor(seconds);
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  if (hours > 0) return `${hours}h${minutes}m${whole % 60}s`;
  return minutes > 0 ? `${minutes}m${whole % 60}s` : `${whole}s`;
}
