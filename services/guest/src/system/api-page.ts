// A plain page that shows the description: one table, no script.
import type { GuestApiDocument } from '@berth/contract/guest';

const pageStyle =
  'body{font:15px system-ui,sans-serif;margin:2rem;max-width:70rem}td{padding:.2rem 1rem .2rem 0;vertical-align:top}code{white-space:nowrap}';

export function apiPage({ paths }: GuestApiDocument): string {
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary, responses }]) => {
      const statuses = Object.keys(Object(responses)).join(', ');
      return `<tr><td><code>${method.toUpperCase()} ${escaped(path)}</code><td>${escaped(String(summary))}<td>${statuses}`;
    }),
  );
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>Sandbox API</title>',
    `<style>${pageStyle}</style><h1>Sandbox API</h1>`,
    '<p>The whole description is an <a href="openapi.json">OpenAPI document</a>.',
    `<table>${rows.join('\n')}</table></html>`,
  ].join('\n');
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
