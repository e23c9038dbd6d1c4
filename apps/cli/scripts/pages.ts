import { createJsonSchema, JSON_SCHEMA_NAMES } from '../src/agent/json-schema.ts'
import { renderCliPage } from './cli-page.ts'
import { renderConfigurationPage } from './configuration-page.ts'

/** The generated pages and schemas by their paths in the repository. */
export const renderPages = (): Readonly<Record<string, string>> => ({
  'docs/cli.md': NOTE + renderCliPage() + '\n',
  'docs/configuration.md': NOTE + renderConfigurationPage() + '\n',
  ...Object.fromEntries(
    JSON_SCHEMA_NAMES.map((name) => [`docs/schemas/${name}.schema.json`, createJsonSchema(name)]),
  ),
})

const NOTE = '<!-- Generated from the tables in apps/cli and core/contracts by `npm run docs`. -->\n\n'
