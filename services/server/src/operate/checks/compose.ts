import type { Check } from './check.ts';

export const compose: Check = {
  name: 'compose',
  why: 'it starts the engines and the control plane',
  when: 'both',
  needs: ['docker'],
  async look({ run }) {
    const version = await run('docker', ['compose', 'version', '--short'], { timeoutSeconds: 30 }).catch(() => '');
    const [, major] = /^v?(\d+)\./.exec(version.trim()) ?? [];
    if (Number(major) >= 2) return undefined;
    return {
      what:
        version === '' ? 'docker compose is missing.' : `docker compose is ${version.trim()}; 2 or newer is needed.`,
      fix: 'apt-get install docker-compose-plugin || apt-get install docker-compose',
    };
  },
};
