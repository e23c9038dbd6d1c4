import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type JsonObject, checkArguments } from './server-tools.ts'

const schema: JsonObject = {
  type: 'object',
  properties: {
    count: { type: 'integer' },
    unit: { enum: ['C', 'F'] },
    tags: { type: 'array', items: { type: ['string', 'null'] } },
  },
  required: ['count'],
  additionalProperties: false,
}

test.each<[string, JsonObject, string | undefined]>([
  ['valid arguments', { count: 1, unit: 'C', tags: ['a', null] }, undefined],
  ['a missing argument', {}, 'arguments.count is missing'],
  ['a wrong type', { count: 1.5 }, 'arguments.count must be integer'],
  ['a wrong choice', { count: 1, unit: 'K' }, 'arguments.unit must be one of ["C","F"]'],
  ['a wrong item', { count: 1, tags: ['a', 2] }, 'arguments.tags[1] must be string or null'],
  ['a name that is not known', { count: 1, other: 2 }, 'arguments.other is not known'],
])('[S12] arguments: %s', (_, given, expected) => {
  expect(checkArguments(given, schema)).toBe(expected)
})

test('[S12] inherited properties are not arguments', () => {
  expect(checkArguments({}, { required: ['constructor'] })).toBe('arguments.constructor is missing')
})

const leaf = fc.record(
  {
    type: fc.oneof(
      fc.constantFrom('string', 'number', 'integer', 'boolean', 'object', 'array', 'null'),
      fc.uniqueArray(fc.constantFrom('string', 'integer', 'null'), { minLength: 1 }),
    ),
    enum: fc.array(fc.constantFrom<unknown>('a', 1, true, null, [], {}), { minLength: 1 }),
    minLength: fc.nat(3),
  },
  { requiredKeys: [] },
)
const name = fc.constantFrom('a', 'b', 'c')
const { tree } = fc.letrec<{ tree: object; branch: object }>((tie) => ({
  tree: fc.oneof({ maxDepth: 3 }, leaf, tie('branch')),
  branch: fc.record(
    {
      properties: fc.dictionary(name, tie('tree')),
      required: fc.uniqueArray(name),
      additionalProperties: fc.boolean(),
      items: tie('tree'),
      anyOf: fc.array(tie('tree'), { minLength: 1 }),
    },
    { requiredKeys: [] },
  ),
}))
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>('a', '', 1, 1.5, true, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value')),
  ),
})).value

test('[S12] reported errors are errors in full JSON Schema too', () => {
  fc.assert(
    fc.property(tree, fc.dictionary(name, value), (anySchema, given) => {
      const wrong = checkArguments(given as JsonObject, anySchema as JsonObject)
      if (wrong === undefined) return
      expect(new AjvJsonSchemaValidator().getValidator(anySchema)(given).valid).toBe(false)
    }),
    { numRuns: 200 },
  )
})
