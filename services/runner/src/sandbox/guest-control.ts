// Calls of the runner to the guest in a sandbox: signed HTTP on the guest's own port. The answer may be forged by code
// in the sandbox, so it is bounded in size and time, and trusted for that sandbox alone.
import { createHash, randomBytes, sign } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import {
  type ControlEnvironmentRequest,
  type ControlState,
  controlVersions,
  formatRunnerProof,
  guestVariables,
  type QuiesceAnswer,
  signedText,
} from '@berth/contract/guest';
import { z } from 'zod';
import type { ControlKey } from './control-key.ts';

export interface GuestEndpoint {
  readonly instance: string;
  readonly address: string;
  readonly port: number;
  /** Host pid of the first process, if known: a call to an ended sandbox fails without waiting for the timeout. */
  readonly pid?: number;
}

const maxAnswerBytes = 64 * 1024;
const lookMs = 100;

const State = z.object({
  openRequests: z.number(),
  idleMs: z.number(),
  keepAliveHolds: z.number(),
  environmentGeneration: z.number(),
}) satisfies z.ZodType<Partial<ControlState>>;
export type GuestState = z.infer<typeof State>;

const Quiesced = z.object({
  ready: z.boolean(),
  openRequests: z.number(),
  keepAliveHolds: z.number(),
}) satisfies z.ZodType<QuiesceAnswer>;
export type Quiesced = z.infer<typeof Quiesced>;

interface ControlRequest {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly path: string;
  readonly body?: string;
  /** Expected statuses; every other status is a failure. */
  readonly statuses: readonly number[];
}

export class GuestControl {
  readonly #key: ControlKey;
  readonly #answerMs: number;
  /** Strictly increasing from request to request, as guests require. */
  #lastMs = 0;

  constructor(key: ControlKey, answerMs = 5_000) {
    this.#key = key;
    this.#answerMs = answerMs;
  }

  /** Variables with which a guest is started, so that it accepts calls of this runner. */
  variablesOf(instance: string): Record<string, string> {
    const { controlKey, instanceId } = guestVariables;
    return { [controlKey.name]: this.#key.publicText, [instanceId.name]: instance };
  }

  async state(endpoint: GuestEndpoint): Promise<GuestState> {
    return State.parse(await this.#ask(endpoint, { method: 'GET', path: '/control/v1/state', statuses: [200] }));
  }

  /** Asks the guest whether the sandbox may sleep. */
  async quiesce(endpoint: GuestEndpoint): Promise<Quiesced> {
    return Quiesced.parse(
      await this.#ask(endpoint, { method: 'POST', path: '/control/v1/quiesce', statuses: [200, 409] }),
    );
  }

  async setEnvironment(endpoint: GuestEndpoint, wanted: ControlEnvironmentRequest): Promise<void> {
    const body = JSON.stringify(wanted);
    await this.#ask(endpoint, { method: 'PUT', path: '/control/v1/environment', body, statuses: [200] });
  }

  /** Runs a command ahead, so that the first command of the owner finds everything loaded. */
  async warmUp(endpoint: GuestEndpoint): Promise<void> {
    await this.#ask(endpoint, { method: 'POST', path: '/control/v1/rehearse', statuses: [200] });
  }

  #authorization({ instance }: GuestEndpoint, { method, path, body = '' }: ControlRequest): string {
    this.#lastMs = Math.max(this.#lastMs + 1, Date.now());
    const issuedAtMs = this.#lastMs;
    const nonce = randomBytes(12).toString('base64url');
    const bodySha256 = createHash('sha256').update(body).digest('hex');
    const text = signedText({ instanceId: instance, method, path, bodySha256, issuedAtMs, nonce });
    const signature = sign(null, Buffer.from(text), this.#key.privateKey).toString('base64url');
    return formatRunnerProof({ issuedAtMs, nonce, signature });
  }

  #ask(endpoint: GuestEndpoint, call: ControlRequest): Promise<unknown> {
    const { method, path, body, statuses } = call;
    return new Promise((resolve, reject) => {
      const asked = request({
        host: endpoint.address,
        port: endpoint.port,
        method,
        path,
        agent: false,
        headers: {
          Authorization: this.#authorization(endpoint, call),
          ...(body === undefined
            ? {}
            : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }),
        },
      });
      const timer = setTimeout(() => asked.destroy(new Error('the guest did not answer in time')), this.#answerMs);
      // Under gVisor the address disappears with the process, so no connection is refused: only this check notices the
      // end.
      const looks = setInterval(() => {
        if (hasEnded(endpoint)) asked.destroy(new Error('the sandbox has ended'));
      }, lookMs);
      asked.once('close', () => {
        clearTimeout(timer);
        clearInterval(looks);
      });
      asked.once('error', reject);
      asked.once('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
          if (text.length > maxAnswerBytes) asked.destroy(new Error('the guest says too much'));
        });
        response.once('error', reject);
        response.once('end', () => {
          if (!statuses.includes(response.statusCode ?? 0))
            return reject(
              new Error(`The guest answered ${response.statusCode} to ${method} ${path}.${adviceFor(response)}`),
            );
          try {
            resolve(JSON.parse(text));
          } catch (cause) {
            reject(new Error(`The guest did not answer ${method} ${path} in JSON.`, { cause }));
          }
        });
      });
      asked.end(body);
    });
  }
}

/** A sandbox keeps the guest that it was made with, also when the runner is of a later release. */
const adviceFor = ({ statusCode }: IncomingMessage): string =>
  statusCode === 404
    ? ` This runner speaks version ${controlVersions.join(' and ')} of the control calls, which the guest does not serve. Delete the sandbox and make it again.`
    : '';

function hasEnded({ pid }: GuestEndpoint): boolean {
  if (pid === undefined) return false;
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}
