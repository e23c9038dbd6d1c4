import { expect, test } from 'vitest'
import { createHome, parley } from '../testing/parley-process.ts'
import { createJsonSchema } from './json-schema.ts'

test.each([
  ['agents', 'agent'],
  ['config', 'config'],
] as const)('[S1] `parley %s schema` prints it', async (command, name) => {
  await using at = await createHome()
  expect(await parley([command, 'schema'], at)).toEqual({
    code: 0,
    stdout: createJsonSchema(name),
    stderr: '',
  })
})

test('[S1] the schema rejects unknown keys and requires the needed ones', () => {
  expect(JSON.parse(createJsonSchema('agent'))).toMatchObject({
    additionalProperties: false,
    required: ['id', 'model', 'provider'],
  })
})
