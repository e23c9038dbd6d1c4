import { expect, test } from 'vitest'
import { newHome, parley } from '../testing/parley-process.ts'
import { createJsonSchema } from './json-schema.ts'

test.each(['agent', 'config', 'workflow'] as const)(
  '[S1] docs/schemas has the schema of today, for editors: %s (vitest run -u writes it)',
  async (name) => {
    const file = `../../../../docs/schemas/${name}.schema.json`
    await expect(createJsonSchema(name)).toMatchFileSnapshot(file)
  },
)

test.each([
  ['agents', 'agent'],
  ['config', 'config'],
] as const)('[S1] `parley %s schema` prints it', async (command, name) => {
  await using at = await newHome()
  expect(await parley([command, 'schema'], at)).toEqual({
    code: 0,
    stdout: createJsonSchema(name),
    stderr: '',
  })
})

test('[S1] an editor is told of keys that are not known, and of those that are needed', () => {
  expect(JSON.parse(createJsonSchema('agent'))).toMatchObject({
    additionalProperties: false,
    required: ['id', 'model', 'provider'],
  })
})
