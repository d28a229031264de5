import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sparedName, stageName } from './stage-name.ts';

test('a stage is found again by the name that it was given once', () => {
  assert.equal(stageName('syn_1/public.t'), '_syncline_stage_1157615bfe22a7c1eaac5b8c');
  assert.equal(stageName('syn_1\0t', 20), '_syncline_stage_5e9990056c06d46527a3');
  assert.equal(sparedName('_syncline_stage_1'), '_syncline_stage_1_spared');
});
