import { TypeMismatch } from './failures.ts';
import { Callable, isDict, isFloat, isInt, isNumeric, numberOf, Undefined } from './values.ts';
import { compare, contains, isEqual, textOf } from './written.ts';

type Test = (value: unknown, args: readonly unknown[]) => boolean;

function remainder(value: unknown, by: unknown): number {
  if (value instanceof Undefined) value.use();
  if (!isNumeric(value) || !isNumeric(by)) throw new TypeMismatch('only numbers can be divided');
  const [number, divisor] = [numberOf(value), numberOf(by)];
  return number - Math.floor(number / divisor) * divisor;
}

const isEqualTo: Test = (value, [other]) => isEqual(value, other);
const differs: Test = (value, [other]) => !isEqual(value, other);
const isLess: Test = (value, [other]) => compare(value, other, '<') < 0;
const isGreater: Test = (value, [other]) => compare(value, other, '>') > 0;
const isLessOrEqual: Test = (value, [other]) => compare(value, other, '<=') <= 0;
const isGreaterOrEqual: Test = (value, [other]) => compare(value, other, '>=') >= 0;

/** What can follow `is`. */
export const TESTS: ReadonlyMap<string, Test> = new Map<string, Test>([
  ['defined', (value) => !(value instanceof Undefined)],
  ['undefined', (value) => value instanceof Undefined],
  ['none', (value) => value === null],
  ['boolean', (value) => typeof value === 'boolean'],
  ['true', (value) => value === true],
  ['false', (value) => value === false],
  ['integer', (value) => isInt(value)],
  ['float', (value) => isFloat(value)],
  ['number', (value) => isNumeric(value)],
  ['string', (value) => typeof value === 'string'],
  ['mapping', (value) => isDict(value)],
  ['sequence', (value) => typeof value === 'string' || Array.isArray(value) || isDict(value) || value instanceof Undefined],
  ['iterable', (value) => typeof value === 'string' || Array.isArray(value) || isDict(value) || value instanceof Undefined],
  ['callable', (value) => value instanceof Callable],
  ['escaped', () => false],
  [
    'sameas',
    (value, [other]) =>
      value === other || (!isDict(value) && !Array.isArray(value) && typeof value === typeof other && isEqual(value, other)),
  ],
  ['odd', (value) => remainder(value, 2) === 1],
  ['even', (value) => remainder(value, 2) === 0],
  ['divisibleby', (value, [by]) => remainder(value, by) === 0],
  ['upper', (value) => textOf(value) !== textOf(value).toLowerCase() && textOf(value) === textOf(value).toUpperCase()],
  ['lower', (value) => textOf(value) !== textOf(value).toUpperCase() && textOf(value) === textOf(value).toLowerCase()],
  ['in', (value, [whole]) => contains(whole, value)],
  ['==', isEqualTo],
  ['eq', isEqualTo],
  ['equalto', isEqualTo],
  ['!=', differs],
  ['ne', differs],
  ['<', isLess],
  ['lt', isLess],
  ['lessthan', isLess],
  ['<=', isLessOrEqual],
  ['le', isLessOrEqual],
  ['>', isGreater],
  ['gt', isGreater],
  ['greaterthan', isGreater],
  ['>=', isGreaterOrEqual],
  ['ge', isGreaterOrEqual],
]);
