import type { Database } from '../db/database.ts';
import { pageAnswer, pageOf } from '../http/paging.ts';
import { type Route, route } from '../http/route.ts';
import { ListOf, OneOf, PAGING, Strict, Success } from '../http/schemas.ts';
import type { Clock } from '../lib/clock.ts';
import { notFound } from '../lib/errors.ts';
import { isId } from '../lib/ids.ts';
import { Type } from '../lib/schema.ts';
import { heardBy } from './access.ts';
import { MESSAGE_STATUSES, RULES } from './alert.ts';
import { deleteAlert } from './commands.ts';
import { findAlert, listAlerts, listIncidents, listMessages } from './queries.ts';
import { renderAlert } from './render.ts';
import * as schemas from './schemas.ts';
import type { AlertService } from './service.ts';

const BASE = '/api/v1/alerts';
const TAG = 'Alerts';
const AlertId = Strict({ id: Type.String({ description: 'The id of the alert.' }) });
const SCOPES_NEEDED =
  'Besides `webhooks`, a caller needs the scope to hear of what the rules are about: `datasync:read` for those about synchronizations, `admin` for `disk_full` and `key_expires`.';

export function alertRoutes({ db, clock, alerts }: { db: Database; clock: Clock; alerts: AlertService }): Route[] {
  return [
    route({
      method: 'GET',
      path: BASE,
      scope: 'webhooks',
      tag: TAG,
      summary: 'List alerts, newest first',
      query: Strict(PAGING),
      answer: ListOf(schemas.Alert),
      examples: { answer: { success: true, data: [schemas.EXAMPLE_ALERT], total: 1, next_cursor: null } },
      handle: async ({ query, principal }) => {
        const page = pageOf(query, (key) => isId('alt', key));
        const { rows, total, limit } = await listAlerts(db.read, page);
        return pageAnswer(
          rows.map((row) => renderAlert(principal, row)),
          total,
          { limit },
        );
      },
    }),
    route({
      method: 'POST',
      path: BASE,
      scope: 'webhooks',
      tag: TAG,
      summary: 'Add an alert',
      description: `A channel, and what it is told of: one message when something goes wrong, reminders if wanted, and one when it is over. What is wrong already is told at once. ${SCOPES_NEEDED}`,
      body: schemas.NewAlert,
      answer: Success(schemas.AlertShown),
      answerHeaders: { Location: 'Where the alert is.' },
      errors: ['CONFLICT'],
      examples: { body: schemas.EXAMPLE_NEW_ALERT, answer: { success: true, data: schemas.EXAMPLE_SHOWN } },
      handle: async ({ body, principal, reply }) => {
        const { row, secret } = await alerts.create(principal, body);
        void reply.header('location', `${BASE}/${row.id}`);
        return { success: true as const, data: { ...renderAlert(principal, row), secret } };
      },
    }),
    route({
      method: 'GET',
      path: `${BASE}/{id}`,
      scope: 'webhooks',
      tag: TAG,
      summary: 'Read one alert',
      params: AlertId,
      answer: Success(schemas.Alert),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: schemas.EXAMPLE_ALERT } },
      handle: async ({ params, principal }) => {
        const row = await findAlert(db.read, params.id);
        if (!row) throw notFound('alert', params.id);
        return { success: true as const, data: renderAlert(principal, row) };
      },
    }),
    route({
      method: 'PUT',
      path: `${BASE}/{id}`,
      scope: 'webhooks',
      tag: TAG,
      summary: 'Update an alert',
      description: `Changes the fields that are sent. \`channel\` is replaced as a whole; \`"********"\` in the place of a secret keeps it. Messages that wait are tried at once. ${SCOPES_NEEDED}`,
      params: AlertId,
      body: schemas.ChangedAlert,
      answer: Success(schemas.AlertShown),
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: {
        body: { remind_every: '1d' },
        answer: { success: true, data: { ...schemas.EXAMPLE_ALERT, remind_every: '1d', version: 2, secret: null } },
      },
      handle: async ({ params, body, principal }) => {
        const { row, secret } = await alerts.update(principal, params.id, body);
        return { success: true as const, data: { ...renderAlert(principal, row), secret } };
      },
    }),
    route({
      method: 'DELETE',
      path: `${BASE}/{id}`,
      scope: 'webhooks',
      tag: TAG,
      summary: 'Delete an alert',
      description: 'Its messages go with it, also those that are still to be sent.',
      params: AlertId,
      answer: Success(schemas.Alert),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: schemas.EXAMPLE_ALERT } },
      handle: async ({ params, principal }) => ({
        success: true as const,
        data: renderAlert(principal, await db.write(deleteAlert, { actor: principal.actor(), now: clock(), id: params.id })),
      }),
    }),
    route({
      method: 'POST',
      path: `${BASE}/{id}/test`,
      scope: 'webhooks',
      tag: TAG,
      summary: 'Send a test message',
      description: `Sends a message that says so, now and whatever the hour. The answer is 200 whether it got through or not: look at \`delivered\`. ${SCOPES_NEEDED}`,
      params: AlertId,
      answer: Success(schemas.TestResult),
      errors: ['NOT_FOUND', 'CONFLICT'],
      examples: { answer: { success: true, data: { delivered: true, duration_ms: 212, error: null } } },
      handle: async ({ params, principal }) => {
        const from = performance.now();
        const sent = await alerts.test(principal, params.id);
        const error = sent.delivered ? sent.remark : sent.error;
        return { success: true as const, data: { delivered: sent.delivered, duration_ms: Math.round(performance.now() - from), error } };
      },
    }),
    route({
      method: 'GET',
      path: `${BASE}/{id}/messages`,
      scope: 'webhooks',
      tag: TAG,
      summary: 'List what an alert has told, newest first',
      description: `Kept for 30 days. ${SCOPES_NEEDED}`,
      params: AlertId,
      query: Strict({ ...PAGING, status: Type.Optional(OneOf(MESSAGE_STATUSES, { description: 'Only those in this state.' })) }),
      answer: ListOf(schemas.Message),
      errors: ['NOT_FOUND'],
      examples: { answer: { success: true, data: [schemas.EXAMPLE_MESSAGE], total: 1, next_cursor: null } },
      handle: async ({ params, query, principal }) => {
        const page = pageOf(query, (key) => isId('msg', key));
        const { id } = await alerts.readable(principal, params.id);
        const { rows, total } = await listMessages(db.read, { alertId: id, status: query.status, rules: heardBy(principal) }, page);
        return pageAnswer(rows, total, page);
      },
    }),
    route({
      method: 'GET',
      path: '/api/v1/incidents',
      scope: ['webhooks', 'datasync:read'],
      tag: TAG,
      summary: 'List incidents, newest first',
      description:
        'What is wrong, or was: one incident from when it begins to when it is over, however many runs fail in between. A caller sees those of the rules that its scopes let it hear of: `datasync:read` for synchronizations, `webhooks` for endpoints, `admin` for disks and keys. Those that are over are kept for 30 days.',
      query: Strict({
        ...PAGING,
        status: Type.Optional(
          OneOf(['open', 'closed', 'all'], { default: 'open', description: 'Those that go on, those that are over, or both.' }),
        ),
        rule: Type.Optional(OneOf(RULES, { description: 'Only those of this rule.' })),
        object_id: Type.Optional(
          Type.String({ minLength: 1, maxLength: 300, description: 'Only those of this synchronization, endpoint, key or machine.' }),
        ),
      }),
      answer: ListOf(schemas.Incident),
      examples: { answer: { success: true, data: [schemas.EXAMPLE_INCIDENT], total: 1, next_cursor: null } },
      handle: async ({ query, principal }) => {
        const page = pageOf(query, (key) => isId('inc', key));
        const rules = heardBy(principal).filter((rule) => query.rule === undefined || query.rule === rule);
        const { rows, total, limit } = await listIncidents(db.read, {
          ...page,
          status: query.status ?? 'open',
          rules,
          objectId: query.object_id,
        });
        return pageAnswer(rows, total, { limit });
      },
    }),
  ];
}
