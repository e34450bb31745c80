// Records the routes of every server that starts meanwhile, as registered with its router. Fastify announces each
// instance on a diagnostics channel, so the product need not expose anything for this.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

const channel = 'fastify.initialization';

interface Announced {
  readonly fastify: {
    addHook(name: 'onRoute', hook: (route: { method: string | string[]; url: string }) => void): void;
  };
}

export function recordRoutes(): { readonly routes: Set<string>; stop(): void } {
  const routes = new Set<string>();
  const listener = (message: unknown) => {
    (message as Announced).fastify.addHook('onRoute', ({ method, url }) => {
      for (const one of [method].flat()) routes.add(`${one} ${url}`);
    });
  };
  subscribe(channel, listener);
  return { routes, stop: () => unsubscribe(channel, listener) };
}
