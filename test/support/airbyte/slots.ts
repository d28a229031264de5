import { isJsonObject } from '../../../src/lib/exact-json.ts';
import { evaluateText, scopeOf } from '../../../src/connectors/airbyte/runtime/evaluate.ts';
import { type Part, partOf, textAt } from '../../../src/connectors/airbyte/runtime/parts.ts';
import { stepsOf, valueAt } from '../../../src/connectors/airbyte/runtime/records/dpath.ts';
import type { AirbyteSession } from '../../../src/connectors/airbyte/runtime/session.ts';
import type { Received } from '../api-server.ts';
import { decoded, type ApiEndpoint, literal, pathOfPages } from './endpoints.ts';

/** What a manifest puts into a request that is not the same in all requests for a list. */
type SlotRole = 'token' | 'token from 1' | 'size' | 'start' | 'end';

/** A place in a request, and how what stands there is written. */
export interface RequestSlot {
  readonly where: string;
  readonly path: readonly string[];
  readonly pattern: RegExp;
  readonly roles: readonly SlotRole[];
}

export interface ReadSlots {
  readonly values: Partial<Record<SlotRole, string>>;
  /** The request without them: which list is asked for. */
  readonly list: string;
}

/** Where the token of a page, its size, and the bounds of a slice stand in the requests for an endpoint. */
export function slotsOf(session: AirbyteSession, { requester, retriever, stream, purpose }: ApiEndpoint): RequestSlot[] {
  const slots: RequestSlot[] = [];
  const option = (part: Part | undefined, role: SlotRole): void => {
    if (!part || part['type'] === 'RequestPath') return;
    const scope = scopeOf(session.config, part);
    const path = Array.isArray(part['field_path'])
      ? part['field_path'].map((step) => evaluateText(step, scope))
      : [evaluateText(part['field_name'], scope)];
    slots.push({ where: textAt(part, 'inject_into') ?? 'request_parameter', path, pattern: /^(.*)$/s, roles: [role] });
  };
  const paginator = partOf(retriever[purpose === 'download' ? 'download_paginator' : 'paginator']);
  option(partOf(paginator?.['page_token_option']), 'token');
  const madePath = pathOfPages(retriever);
  if (madePath !== undefined) {
    const rest = literal(madePath.replace(/^\{\{[^{}]*\}\}/, ''));
    slots.push({ where: 'path', path: [], pattern: new RegExp(`^([^/]*)${rest}$`), roles: ['token'] });
  }
  option(partOf(paginator?.['page_size_option']), 'size');
  const sync = partOf(stream['incremental_sync']);
  option(partOf(sync?.['start_time_option']) ?? partOf(sync?.['start_value_option']), 'start');
  option(partOf(sync?.['end_time_option']), 'end');
  const names = boundNames(session, sync);
  const written = (value: unknown, where: string, path: readonly string[]): void => {
    if (isJsonObject(value)) for (const [name, member] of Object.entries(value)) written(member, where, [...path, name]);
    else if (Array.isArray(value)) for (const [index, entry] of value.entries()) written(entry, where, [...path, String(index)]);
    else if (typeof value === 'string') {
      const { pattern, roles } = patternIn(value, names);
      if (roles.length > 0) slots.push({ where, path, pattern, roles });
    }
  };
  written(requester['request_parameters'], 'request_parameter', []);
  written(requester['request_headers'], 'header', []);
  written(requester['request_body_json'], 'body_json', []);
  written(requester['request_body_data'], 'body_data', []);
  written(
    partOf(requester['request_body'])?.['value'],
    /Json|GraphQL/.test(String(partOf(requester['request_body'])?.['type'])) ? 'body_json' : 'body_data',
    [],
  );
  written(requester['path'], 'path', []);
  return slots;
}

function boundNames(session: AirbyteSession, sync: Part | undefined): readonly [string, string] {
  const scope = scopeOf(session.config, sync);
  const name = (member: string, usual: string): string => evaluateText(sync?.[member] ?? usual, scope);
  return [name('partition_field_start', 'start_time'), name('partition_field_end', 'end_time')];
}

/** What a template may come out as, with what we look for as groups. */
function patternIn(template: string, [start, end]: readonly [string, string]): { pattern: RegExp; roles: SlotRole[] } {
  const roles: SlotRole[] = [];
  const pieces = template.split(/(\{\{.*?\}\}|\{%.*?%\})/s).map((piece) => {
    if (!piece.startsWith('{')) return literal(piece);
    const isBound = /stream_(interval|slice|partition)/.test(piece);
    const role = /next_page_token/.test(piece)
      ? /\+\s*1\b/.test(piece)
        ? 'token from 1'
        : 'token'
      : isBound && piece.includes(start)
        ? 'start'
        : isBound && piece.includes(end)
          ? 'end'
          : undefined;
    if (!role || piece.startsWith('{%')) return '.*?';
    roles.push(role);
    return '(.*?)';
  });
  return { pattern: new RegExp(`^${pieces.join('')}$`, 's'), roles };
}

/** Finds them in a request. */
export function readSlots(slots: readonly RequestSlot[], { method, url, headers, body }: Received): ReadSlots {
  const values: Partial<Record<SlotRole, string>> = {};
  const take = ({ pattern, roles }: RequestSlot, text: unknown): void => {
    if (text === undefined || text === null) return;
    const match = pattern.exec(typeof text === 'string' ? text : JSON.stringify(text));
    for (const [index, role] of roles.entries()) {
      const found = match?.[index + 1];
      if (found) values[role] ??= found;
    }
  };
  const params = new URLSearchParams(url.search);
  let path = decoded(url.pathname);
  const form = bodyOf(body);
  for (const slot of slots) {
    const name = slot.path[0] ?? '';
    if (slot.where === 'request_parameter') {
      take(slot, params.get(name));
      params.delete(name);
    } else if (slot.where === 'header') take(slot, headers[name.toLowerCase()]);
    else if (slot.where === 'path') {
      const tail = tailOf(path, slot.pattern);
      if (tail !== undefined) take(slot, tail);
      if (tail !== undefined) path = path.slice(0, -tail.length || undefined);
    } else if (slot.path.length === 0) take(slot, body);
    else {
      take(slot, isJsonObject(form) ? valueAt(form, [...slot.path]) : undefined);
      if (isJsonObject(form)) forget(form, slot.path);
    }
  }
  params.delete(PAGE_PARAMETER);
  const rest = [...params].map(([name, value]) => `${name}=${value}`).sort();
  const counted = values['token from 1'];
  if (counted !== undefined) values.token = String(Number(counted) - 1);
  return {
    values,
    list: `${method} ${url.origin}${path}?${rest.join('&')} ${typeof form === 'string' ? form : JSON.stringify(sorted(form))}`,
  };
}

/** By which the simulator finds the page again in an address that it made. */
export const PAGE_PARAMETER = 'simulated_page';

function tailOf(path: string, pattern: RegExp): string | undefined {
  const source = pattern.source.replace(/^\^\/?/, '').replace(/\$$/, '');
  return new RegExp(`(?:${source})$`, 's').exec(path)?.[0];
}

function bodyOf(body: string): unknown {
  if (body === '') return '';
  try {
    return JSON.parse(body);
  } catch {
    return /^[\w.%[\]-]+=/.test(body) ? Object.fromEntries(new URLSearchParams(body)) : body;
  }
}

function forget(form: object, path: readonly string[]): void {
  const holder: unknown = path.length === 1 ? form : valueAt(form, stepsOf(path.slice(0, -1)));
  if (isJsonObject(holder)) delete (holder as Record<string, unknown>)[path.at(-1) ?? ''];
}

export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sorted(member)]),
  );
}
