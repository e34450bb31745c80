import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type InstanceReport, nodePaths, Reports, type StreamMessage } from '@berth/contract/node';
import { createLogger } from '@berth/telemetry';
import { expect, test } from 'vitest';
import { desiredInstance } from '../../test/desired-instance.ts';
import { answer, type Handle, makeAuthority, startListener } from '../../test/test-listener.ts';
import { makeCertificateRequest } from './certificate-request.ts';
import { createNodeClient } from './node-client.ts';
import { type DesiredStateListener, NodeLink } from './node-link.ts';

const authority = await makeAuthority();
const { key, request } = await makeCertificateRequest('a');
const certificate = await authority.certify(request, randomUUID());
const logger = createLogger({ role: 'runner' }, { level: 'silent' });

/** An api whose streams the test controls. */
async function startApi(pulseSeconds = 5) {
  const streams: ServerResponse[] = [];
  const heard: { session: number; report: InstanceReport }[] = [];
  const statusFor = (_: InstanceReport): number => 200;
  const api = { streams, heard, statusFor, refusals: 0, heartbeats: 0, times: [] as number[] };
  const handle: Handle = (path, body, _caller, response) => {
    if (path === nodePaths.stream) {
      streams.push(response.writeHead(200));
      const nowMs = api.times.shift();
      send(response, {
        ...{ type: 'welcome', session: streams.length, pulseSeconds },
        ...(nowMs === undefined ? {} : { nowMs }),
      });
    } else if (path === nodePaths.reports) {
      const { session, reports } = Reports.parse(body);
      const status = Math.max(...reports.map(api.statusFor));
      if (status === 200) heard.push(...reports.map((report) => ({ session, report })));
      else api.refusals += 1;
      answer(response, status, {});
    } else {
      api.heartbeats += 1;
      answer(response, 200, {});
    }
  };
  const listener = await startListener(authority, handle);
  return { api, listener };
}

const send = (response: ServerResponse, message: StreamMessage) => response.write(`${JSON.stringify(message)}\n`);

function openLink(url: string) {
  const received: string[] = [];
  const times: number[] = [];
  const client = createNodeClient(url, { authority: authority.certificate, key, certificate });
  const link = new NodeLink({
    client,
    logger,
    onReportsSent: () => {},
    onTime: (nowMs) => void times.push(nowMs),
  });
  const desired: DesiredStateListener = {
    all: ({ instances, gone }) => void received.push(`all ${instances.length} ${gone.length}`),
    set: ({ id }) => received.push(`set ${id}`),
    unset: (id) => received.push(`unset ${id}`),
    discard: (ids) => void received.push(`discard ${ids.join()}`),
  };
  link.start(desired, {
    hello: async () => ({ protocol: 1, version: '1', isolation: ['runc'], memoryMb: 1, cpus: 1 }),
    measure: async () => ({ freeMemoryMb: 1, freeDiskPercent: 1, instances: 0 }),
  });
  const close = async () => {
    await link.close();
    client.close();
  };
  return { link, received, times, close };
}

test('desired states arrive in order, and message types of a newer api are ignored', async () => {
  const { api, listener } = await startApi();
  const { received, close } = openLink(listener.url);
  await expect.poll(() => api.streams.length).toBe(1);
  const [stream] = api.streams;
  if (stream === undefined) throw new Error('no stream');
  const instance = desiredInstance();
  send(stream, { type: 'all', instances: [instance], leaving: [], gone: [randomUUID()] });
  stream.write('{"type":"something newer"}\n');
  const text = JSON.stringify({ type: 'set', instance });
  stream.write(text.slice(0, 40));
  await sleep(50);
  stream.write(`${text.slice(40)}\n`);
  send(stream, { type: 'unset', id: instance.id, isLeaving: false });
  await expect.poll(() => received).toEqual(['all 1 1', `set ${instance.id}`, `unset ${instance.id}`]);
  await expect.poll(() => api.heartbeats).toBe(1);
  await close();
  await listener[Symbol.asyncDispose]();
});

test('reports are sent until they are acknowledged, only the latest of each instance', async () => {
  const { api, listener } = await startApi();
  api.statusFor = ({ state }) => (state === 'starting' ? 503 : 200);
  const { link, close } = openLink(listener.url);
  const [first, next] = [randomUUID(), randomUUID()];
  link.report(first, { state: 'starting', starts: 0 });
  await expect.poll(() => api.refusals).toBeGreaterThan(1);
  link.report(first, { state: 'ready', starts: 1, address: '100.96.0.5' });
  const heardOf = (id: string) => api.heard.filter(({ report }) => report.instance === id);
  await expect.poll(() => heardOf(first).length).toBeGreaterThan(0);
  link.report(next, { state: 'ready', starts: 1 });
  await expect.poll(() => heardOf(next).length).toBeGreaterThan(0);
  // A connection that broke meanwhile has a session of its own, which gets all reports.
  const sessions = heardOf(first).map(({ session }) => session);
  expect(sessions).toEqual([...new Set(sessions)]);
  expect(heardOf(first).every(({ report }) => report.state === 'ready')).toBe(true);
  await close();
  await listener[Symbol.asyncDispose]();
});

test('a new session gets all reports again with newer sequences, except acknowledged reports of instances that are gone', async () => {
  const { api, listener } = await startApi();
  const { link, close } = openLink(listener.url);
  const [stays, goes] = [randomUUID(), randomUUID()];
  link.report(stays, { state: 'ready', starts: 1 });
  link.report(goes, { state: 'gone', starts: 1 });
  await expect.poll(() => api.heard.length).toBe(2);
  api.streams[0]?.end();
  await expect.poll(() => api.heard.length).toBe(3);
  const last = api.heard.at(-1);
  expect(last).toMatchObject({ session: 2, report: { instance: stays, state: 'ready' } });
  expect(last?.report.sequence).toBeGreaterThan(
    Math.max(...api.heard.slice(0, 2).map(({ report }) => report.sequence)),
  );
  await close();
  await listener[Symbol.asyncDispose]();
});

test('each welcome tells the time of the deployment, where the api sends it', async () => {
  const { api, listener } = await startApi();
  api.times.push(1_000, 2_000);
  const { times, close } = openLink(listener.url);
  for (const count of [1, 2, 3]) {
    await expect.poll(() => api.streams.length).toBe(count);
    await expect.poll(() => times.length).toBe(Math.min(count, 2));
    api.streams[count - 1]?.end();
  }
  expect(times).toEqual([1_000, 2_000]);
  await close();
  await listener[Symbol.asyncDispose]();
});

test('a stream without a message for three pulses is reopened', async () => {
  const { api, listener } = await startApi(0.1);
  const { close } = openLink(listener.url);
  await expect.poll(() => api.streams.length).toBeGreaterThan(2);
  await close();
  await listener[Symbol.asyncDispose]();
});

test('a session that the api has ended closes its stream, and the next one is opened', async () => {
  const { api, listener } = await startApi();
  api.statusFor = () => 409;
  const { link, close } = openLink(listener.url);
  link.report(randomUUID(), { state: 'ready', starts: 1 });
  await expect.poll(() => api.streams.length).toBeGreaterThan(1);
  api.statusFor = () => 200;
  await expect.poll(() => api.heard.length).toBe(1);
  await close();
  await listener[Symbol.asyncDispose]();
});

const listenerState = { streams: 0 };

test('an api of the release before names no protocol and is used; an api with one that the runner lacks is left', async () => {
  await using listener = await startListener(authority, (path, _body, _caller, response) => {
    if (path !== nodePaths.stream) return answer(response, 200, {});
    const number = listenerState.streams;
    listenerState.streams += 1;
    const protocol = number === 0 ? { protocol: 99 } : {};
    response
      .writeHead(200)
      .write(
        `${JSON.stringify({ type: 'welcome', session: number + 1, pulseSeconds: 5, ...protocol, newer: { field: 1 } })}\n`,
      );
    const all = { type: 'all', instances: [], gone: [], newer: true };
    response.write(`{"type":"newer"}\n${JSON.stringify(all)}\n`);
  });
  const { link, received, close } = openLink(listener.url);
  await expect.poll(() => received).toEqual(['all 0 0']);
  expect(link.isConnected).toBe(true);
  expect(listenerState.streams).toBe(2);
  await close();
});
