import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formOf } from './form.ts';

test('members are in their order, with words, defaults, bounds and secrets; those that are hidden are left out', () => {
  const form = formOf({
    title: 'The spec of something',
    required: ['api_key', 'region', 'machine'],
    properties: {
      start: { type: 'string', format: 'date-time', pattern: '^\\d', order: 2, examples: ['2024-01-01T00:00:00Z'] },
      api_key: {
        type: 'string',
        airbyte_secret: true,
        order: 0,
        title: 'API key',
        description: 'Found <a href="https://example.com/keys">here</a>.<br/>Keep it.',
      },
      region: { type: ['string', 'null'], enum: ['eu', 'us'], default: 'eu', order: 1 },
      days: { type: 'integer', minimum: 1, maximum: 30 },
      script: { type: 'string', multiline: true },
      inner: { type: 'object', required: ['a'], properties: { a: { type: 'boolean' } } },
      tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
      anything: { type: 'object' },
      client: { type: 'string', airbyte_hidden: true, default: 'x' },
      machine: { type: 'string', airbyte_hidden: true },
    },
  });
  assert.deepEqual(form, {
    type: 'object',
    properties: {
      api_key: {
        type: 'string',
        title: 'API key',
        description: 'Found here (https://example.com/keys). Keep it.',
        writeOnly: true,
        format: 'password',
      },
      region: { type: 'string', enum: ['eu', 'us'], default: 'eu' },
      start: { type: 'string', format: 'date-time', pattern: '^\\d', examples: ['2024-01-01T00:00:00Z'] },
      days: { type: 'integer', minimum: 1, maximum: 30 },
      script: { type: 'string', maxLength: 100_000 },
      inner: { type: 'object', required: ['a'], properties: { a: { type: 'boolean' } } },
      tags: { type: 'array', items: { type: 'string' }, minItems: 1 },
      anything: { type: 'object' },
      machine: { type: 'string' },
    },
    required: ['api_key', 'machine'],
  });
});

test('a choice has variants with titles, told apart by what is constant in each; what stands beside it is in each', () => {
  const variants = [
    {
      title: 'OAuth',
      type: 'object',
      required: ['token'],
      properties: { auth: { const: 'oauth' }, token: { type: 'string', airbyte_secret: true } },
    },
    { type: 'object', properties: { auth: { type: 'string', enum: ['key'] }, key: { type: 'string' } } },
  ];
  const form = formOf({ properties: { credentials: { title: 'Log-in', oneOf: variants, properties: { host: { type: 'string' } } } } });
  assert.deepEqual(form.properties?.['credentials'], {
    type: 'object',
    title: 'Log-in',
    oneOf: [
      {
        type: 'object',
        title: 'OAuth',
        properties: {
          host: { type: 'string' },
          auth: { type: 'string', const: 'oauth' },
          token: { type: 'string', writeOnly: true, format: 'password' },
        },
        required: ['auth', 'token'],
      },
      {
        type: 'object',
        title: 'key',
        properties: { host: { type: 'string' }, auth: { type: 'string', const: 'key' }, key: { type: 'string' } },
        required: ['auth'],
      },
    ],
  });
});

test('what cannot be told apart may hold anything, and a form without an end is cut', () => {
  const form = formOf({ properties: { either: { type: 'object', oneOf: [{ properties: { a: {} } }, { properties: { b: {} } }] } } });
  assert.deepEqual(form.properties?.['either'], { type: 'object' });
  const loop: Record<string, unknown> = { type: 'object' };
  loop['properties'] = { again: loop };
  assert.equal(formOf(loop).type, 'object');
  assert.deepEqual(formOf({}), { type: 'object' });
  assert.deepEqual(formOf({ properties: 'no', required: 7 }), { type: 'object' });
});
