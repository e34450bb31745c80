import { expect, test } from 'vitest';
import { containerIn, openOutOfMemoryLog } from './out-of-memory-log.ts';

const id = '627ed9d016c9dfb7db3a8c8cf2c2056b8323df70ee99aaddeafaaafd314b82fe';
const other = 'f'.repeat(64);
const record = (cgroup: string, constraint = 'MEMCG') =>
  `6,1893,2244116989,-;oom-kill:constraint=CONSTRAINT_${constraint},nodemask=(null),cpuset=${other},mems_allowed=0,` +
  `oom_memcg=${cgroup},task_memcg=${cgroup}/${other},task=sh,pid=4711,uid=0\n`;

test.each([
  ['with cgroup v1', `/docker/${id}`],
  ['below a parent of its own', `/berth-docker-235bc815305b/${id}`],
  ['with cgroup v2 under systemd', `/system.slice/docker-${id}.scope`],
])('the container is found by its cgroup %s', (_name, cgroup) => {
  expect(containerIn(record(cgroup))).toBe(id);
});

test.each([
  ['of the whole machine', record(`/docker/${id}`, 'NONE')],
  ['of a service', record('/system.slice/ssh.service')],
  ['that only mentions one', `6,1,2,-;Memory cgroup out of memory: Killed process 12 (${id})`],
])('a record %s names no container', (_name, text) => {
  expect(containerIn(text)).toBeUndefined();
});

test('a log that cannot be read names nothing', () => {
  const log = openOutOfMemoryLog('/nowhere/kmsg');
  expect(log.names(id)).toBe(false);
});

test('the log of this machine is read to its end without waiting', () => {
  const log = openOutOfMemoryLog();
  for (let times = 0; times < 3; times += 1) expect(log.names(id)).toBe(false);
});
